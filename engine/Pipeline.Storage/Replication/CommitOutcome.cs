namespace Pipeline.Storage;

/// <summary>What became of an entry that was sent to a shared log.</summary>
public enum CommitOutcome
{
    /// <summary>The log has accepted it, and all before it.</summary>
    Accepted,

    /// <summary>The log has passed over it: it never counts.</summary>
    Refused,

    /// <summary>Nobody knows. If the log has it, it comes back as an entry to apply.</summary>
    Unknown,
}

/// <summary>What a store is in a cluster.</summary>
public enum StorageRole
{
    /// <summary>It belongs to no cluster: its local journal decides durability.</summary>
    Alone,

    /// <summary>It applies the entries of a shared log and refuses writes.</summary>
    Follower,

    /// <summary>It takes writes and sends them to a shared log.</summary>
    Leader,
}
