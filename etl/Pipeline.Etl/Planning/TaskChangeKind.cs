namespace Pipeline.Etl.Planning;

/// <summary>What becomes of a task.</summary>
public enum TaskChangeKind
{
    /// <summary>It goes on as it is.</summary>
    Unchanged,

    /// <summary>It is new to the database.</summary>
    Added,

    /// <summary>It is stopped and started with other settings, from its position.</summary>
    Changed,

    /// <summary>It is no longer in the file.</summary>
    Removed,
}
