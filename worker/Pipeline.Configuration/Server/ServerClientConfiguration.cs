using Pipeline.Etl.Connectors;
using Pipeline.Yaml;

namespace Pipeline.Configuration;

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
