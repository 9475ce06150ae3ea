namespace Pipeline.Configuration;

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
