using Pipeline.Etl.Connectors;
using Pipeline.Yaml;

namespace Pipeline.Configuration;

/// <summary>The block <c>server</c>.</summary>
public sealed class ServerConfiguration
{
    /// <summary>Where the worker listens.</summary>
    [Setting(
        "Address that the worker answers on: databases in RavenDB's client protocol, health, metrics. https:// needs 'certificate'."
    )]
    public Uri Url { get; init; } = new("http://127.0.0.1:8080");

    /// <summary>The server's certificate.</summary>
    [Setting("The server's certificate.")]
    public ServerCertificateConfiguration? Certificate { get; init; }

    /// <summary>Who is served.</summary>
    [Setting(
        "Clients that may connect, identified by certificate, with the rights of each. Without this list clients are not authenticated."
    )]
    public IReadOnlyList<ServerClientConfiguration> Clients { get; init; } = [];

    /// <summary>Whether everybody may come.</summary>
    [Setting("Whether to listen on an address that other machines can reach although clients are not authenticated.")]
    public bool AllowInsecure { get; init; }

    /// <summary>Whether clients may make databases.</summary>
    [Setting(
        "Whether clients may create databases, in the folder 'databases' beneath database.path. Existing databases are served in any case."
    )]
    public bool CreatesDatabases { get; init; } = true;

    /// <summary>For whom answers are compressed.</summary>
    [Setting(
        "Which clients get compressed answers if they accept them: those on other machines (remote), all, or none."
    )]
    public ServerCompression Compression { get; init; }

    /// <summary>Whose scripts are accepted.</summary>
    [Setting("Whose scripts the server accepts.")]
    public ServerScriptsConfiguration Scripts { get; init; } = new();

    /// <summary>Limits of clients.</summary>
    [Setting("Limits of clients.")]
    public ServerLimitsConfiguration Limits { get; init; } = new();
}
