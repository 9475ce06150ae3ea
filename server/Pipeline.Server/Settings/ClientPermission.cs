using Pipeline.Database.Certificates;

namespace Pipeline.Server.Settings;

/// <summary>The rights of the holder of a client certificate. Immutable.</summary>
public sealed record ClientPermission
{
    /// <summary>A name for people and logs.</summary>
    public required string Name { get; init; }

    /// <summary>The certificate's SHA-256 thumbprint.</summary>
    public required CertificateThumbprint Thumbprint { get; init; }

    /// <summary>
    /// Whether the client may do everything: create and delete databases, and administer each of them.
    /// </summary>
    public bool IsAdmin { get; init; }

    /// <summary>
    /// Whether the client sees the figures of all databases at <c>/metrics</c> and <c>/health/ready</c>, and nothing
    /// else of them.
    /// </summary>
    public bool SeesMetrics { get; init; }

    /// <summary>The rights on single databases, by name in any case.</summary>
    public IReadOnlyDictionary<string, DatabaseAccess> Databases { get; init; } =
        new Dictionary<string, DatabaseAccess>();
}

/// <summary>What a client may do with a database; each level includes the previous ones.</summary>
public enum DatabaseAccess
{
    /// <summary>Nothing: the database is not even listed.</summary>
    None,

    /// <summary>Read documents, run queries, view statistics.</summary>
    Read,

    /// <summary>Store and delete documents, work on subscriptions.</summary>
    ReadWrite,

    /// <summary>Define indexes and the revisions to keep.</summary>
    Admin,
}
