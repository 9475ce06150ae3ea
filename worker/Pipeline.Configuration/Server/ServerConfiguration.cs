using System.Text.Json.Serialization;
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

/// <summary>One entry of <c>server.clients</c>.</summary>
public sealed class ServerClientConfiguration
{
    /// <summary>The client's name.</summary>
    [Setting("Name for people and logs.", Required = true)]
    public string Name { get; init; } = "";

    /// <summary>Its certificate's thumbprint.</summary>
    [Setting(
        "SHA-256 thumbprint of its certificate, as 'openssl x509 -noout -fingerprint -sha256 -in client.pem' prints it; colons are optional.",
        Required = true
    )]
    public string Thumbprint { get; init; } = "";

    /// <summary>Whether it may do everything.</summary>
    [Setting("Whether the client may do everything: create and delete databases, and administer each of them.")]
    public bool Admin { get; init; }

    /// <summary>Whether it may see the figures of all databases.</summary>
    [Setting(
        "Whether the client sees the figures of all databases at /metrics and /health/ready, for a monitoring system. Otherwise it sees those of the databases that it may read."
    )]
    public bool Metrics { get; init; }

    /// <summary>The rights on single databases.</summary>
    [Setting(
        "Rights on single databases, by name. read: reads. readWrite: also stores, and works on subscriptions. admin: also defines indexes and revisions."
    )]
    public IReadOnlyDictionary<string, ServerAccess> Databases { get; init; } = new Dictionary<string, ServerAccess>();
}

/// <summary>What a client may do with a database. Each value includes the ones before it.</summary>
public enum ServerAccess
{
    /// <summary>Read documents, run queries, read statistics.</summary>
    Read,

    /// <summary>Store and delete documents, work on subscriptions.</summary>
    ReadWrite,

    /// <summary>Define indexes and the retention of revisions.</summary>
    Admin,
}

/// <summary>The block <c>server.certificate</c>.</summary>
public sealed class ServerCertificateConfiguration
{
    /// <summary>The certificate; absolute after loading.</summary>
    [Setting("PFX file, or PEM file, relative to this file.", Required = true)]
    public string File { get; internal set; } = "";

    /// <summary>The key; absolute after loading.</summary>
    [Setting("PEM file of the private key, if 'file' does not contain it.")]
    public string? Key { get; internal set; }

    /// <summary>The password.</summary>
    [Setting("Password of the PFX file, or of an encrypted key.", Secret = true)]
    public string? Password { get; init; }
}

/// <summary>For whom the server compresses answers, if they accept it.</summary>
public enum ServerCompression
{
    /// <summary>For clients on other machines.</summary>
    Remote,

    /// <summary>For all.</summary>
    Always,

    /// <summary>For no client.</summary>
    Never,
}

/// <summary>The block <c>server.scripts</c>.</summary>
public sealed class ServerScriptsConfiguration
{
    /// <summary>Who may define indexes in C#.</summary>
    [Setting(
        "Rights needed to define indexes in C# over HTTP. admin: a client with admin: true. databaseAdmin: also an admin of the database. Compiled C# runs with the server's rights, and a list of allowed members is no sandbox. An admin of one database could read every other database and run programs on the machine."
    )]
    public ServerCSharpAccess Csharp { get; init; }
}

/// <summary>Who may send C# to the server.</summary>
public enum ServerCSharpAccess
{
    /// <summary>Clients that may do everything.</summary>
    [JsonStringEnumMemberName("admin")]
    Admin,

    /// <summary>The admins of each database, too.</summary>
    [JsonStringEnumMemberName("databaseAdmin")]
    DatabaseAdmin,
}
