using Pipeline.Etl.Connectors;

namespace Pipeline.Etl.Configuration;

/// <summary>The block <c>server</c>.</summary>
public sealed class ServerConfiguration
{
    /// <summary>Where the worker listens.</summary>
    [Setting("Address that the worker answers on: databases in RavenDB's client protocol, health, metrics. https:// needs 'certificate'.")]
    public Uri Url { get; init; } = new("http://127.0.0.1:8080");

    /// <summary>The server's certificate.</summary>
    [Setting("The server's certificate.")]
    public ServerCertificateConfiguration? Certificate { get; init; }

    /// <summary>Who is served.</summary>
    [Setting("Clients that are served, by their certificates, and what each may do. Without any, nobody is asked who he is.")]
    public IReadOnlyList<ServerClientConfiguration> Clients { get; init; } = [];

    /// <summary>Whether everybody may come.</summary>
    [Setting("Whether to listen on another address than this machine's own although nobody is asked who he is.")]
    public bool AllowInsecure { get; init; }

    /// <summary>Whether clients may make databases.</summary>
    [Setting("Whether clients may make databases, in the folder 'databases' beneath database.path. Those that are there are served in any case.")]
    public bool CreatesDatabases { get; init; } = true;

    /// <summary>For whom answers are compressed.</summary>
    [Setting("For whom answers are compressed, if they accept it: clients on other machines (remote), all, or nobody.")]
    public ServerCompression Compression { get; init; }

    /// <summary>Whose scripts are accepted.</summary>
    [Setting("Whose scripts the server accepts.")]
    public ServerScriptsConfiguration Scripts { get; init; } = new();

    /// <summary>What clients may use.</summary>
    [Setting("What clients may use.")]
    public ServerLimitsConfiguration Limits { get; init; } = new();
}
