using Pipeline.Etl.Connectors;

namespace Pipeline.Etl.Configuration;

/// <summary>One entry of <c>server.clients</c>.</summary>
public sealed class ServerClientConfiguration
{
    /// <summary>The client's name.</summary>
    [Setting("Name for people and logs.", Required = true)]
    public string Name { get; init; } = "";

    /// <summary>Its certificate's thumbprint.</summary>
    [Setting("SHA-256 thumbprint of its certificate, as 'openssl x509 -noout -fingerprint -sha256 -in client.pem' prints it; colons may be left out.", Required = true)]
    public string Thumbprint { get; init; } = "";

    /// <summary>Whether it may do everything.</summary>
    [Setting("Whether it may do everything: make and delete databases, and all with each of them.")]
    public bool Admin { get; init; }

    /// <summary>Whether it may see the figures of all databases.</summary>
    [Setting("Whether it may see the figures of all databases at /metrics and /health/ready, as a monitoring system does. Without it a client sees those of the databases that it may read.")]
    public bool Metrics { get; init; }

    /// <summary>What it may do with single databases.</summary>
    [Setting("What it may do with single databases, by name: read them, store in them and work on subscriptions too (readWrite), define indexes and revisions too (admin).")]
    public IReadOnlyDictionary<string, ServerAccess> Databases { get; init; } = new Dictionary<string, ServerAccess>();
}
