namespace Pipeline.Configuration.Planning;

/// <summary>What happens to a task.</summary>
public enum TaskChangeKind
{
    /// <summary>It continues unchanged.</summary>
    Unchanged,

    /// <summary>It is new to the database.</summary>
    Added,

    /// <summary>It stops and restarts from its position with the new settings.</summary>
    Changed,

    /// <summary>It is no longer in the file.</summary>
    Removed,
}
