namespace Pipeline.Server.Settings;

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
