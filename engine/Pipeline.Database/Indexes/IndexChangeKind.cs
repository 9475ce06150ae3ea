namespace Pipeline.Database.Indexes;

/// <summary>What happened to an index.</summary>
public enum IndexChangeKind
{
    /// <summary>It was defined.</summary>
    Added,

    /// <summary>It was deleted.</summary>
    Removed,

    /// <summary>It has come further through the changes.</summary>
    BatchCompleted,

    /// <summary>A version that was built beside it answers now.</summary>
    Replaced,

    /// <summary>It cannot go on.</summary>
    Failed,

    /// <summary>It was paused.</summary>
    Paused,

    /// <summary>It was disabled.</summary>
    Disabled,

    /// <summary>Whether it may be replaced was changed.</summary>
    LockModeChanged,

    /// <summary>Its turn among others was changed.</summary>
    PriorityChanged,
}
