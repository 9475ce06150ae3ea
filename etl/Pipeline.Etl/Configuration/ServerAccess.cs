namespace Pipeline.Etl.Configuration;

/// <summary>What a client may do with a database; each holds the ones before it.</summary>
public enum ServerAccess
{
    /// <summary>Read documents, run queries, look at figures.</summary>
    Read,

    /// <summary>Store and delete documents, work on subscriptions.</summary>
    ReadWrite,

    /// <summary>Define indexes and what is kept of revisions.</summary>
    Admin,
}
