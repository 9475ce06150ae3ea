namespace Pipeline.Database.Indexes;

/// <summary>Something that happened to an index.</summary>
/// <param name="Kind">The kind of change.</param>
/// <param name="Name">The index.</param>
public sealed record IndexChange(IndexChangeKind Kind, string Name);

/// <summary>A kind of change of an index.</summary>
public enum IndexChangeKind
{
    /// <summary>It was defined.</summary>
    Added,

    /// <summary>It was deleted.</summary>
    Removed,

    /// <summary>It has come further through the changes.</summary>
    BatchCompleted,

    /// <summary>Its replacement is built and now answers queries.</summary>
    Replaced,

    /// <summary>It failed and indexes no more changes.</summary>
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
