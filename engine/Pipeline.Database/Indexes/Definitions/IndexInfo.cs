namespace Pipeline.Database.Indexes;

/// <summary>A description of an index at one moment.</summary>
public sealed record IndexInfo
{
    /// <summary>Its definition.</summary>
    public required IndexDefinition Definition { get; init; }

    /// <summary>The name.</summary>
    public string Name => Definition.Name;

    /// <summary>What it does.</summary>
    public required IndexState State { get; init; }

    /// <summary>
    /// Why it is in <see cref="IndexState.Error"/>, or why it started in <see cref="IndexState.Disabled"/>: the process
    /// ended twice in a row during its batches.
    /// </summary>
    public string? Failure { get; init; }

    /// <summary>Every change up to this position is in the index.</summary>
    public required long Position { get; init; }

    /// <summary>Positions between the index and the database: an upper bound of the missing changes.</summary>
    public required long Lag { get; init; }

    /// <summary>The age of the oldest missing change, by the database's clock; zero if none is missing.</summary>
    public TimeSpan LagTime { get; init; }

    /// <summary>Whether changes are missing.</summary>
    public bool IsStale => Lag > 0;

    /// <summary>Entries that queries find.</summary>
    public required long Entries { get; init; }

    /// <summary>Documents and groups that failed, all in all since the index was made.</summary>
    public required long Errors { get; init; }

    /// <summary>Documents mapped since the index was made.</summary>
    public required long Mapped { get; init; }

    /// <summary>When the last batch was committed; null before the first.</summary>
    public DateTimeOffset? LastIndexed { get; init; }

    /// <summary>When a query last used it; null if none has since the database was opened.</summary>
    public DateTimeOffset? LastQueried { get; init; }

    /// <summary>The position of the replacement that is being built; null if there is none.</summary>
    public long? ReplacementPosition { get; init; }
}

/// <summary>The state of an index.</summary>
public enum IndexState
{
    /// <summary>It follows the changes and answers queries.</summary>
    Normal = 0,

    /// <summary>
    /// It answers queries and does not follow the changes until it is resumed or the database is opened again.
    /// </summary>
    Paused,

    /// <summary>
    /// It answers queries as they would have been answered then, and does not follow the changes until it is enabled.
    /// </summary>
    Disabled,

    /// <summary>
    /// Too many documents failed, or it cannot continue; <see cref="IndexInfo.Failure"/> has the reason.
    /// </summary>
    Error,
}

/// <summary>Which index is updated first when several have a backlog.</summary>
public enum IndexPriority
{
    /// <summary>After the others.</summary>
    Low = 0,

    /// <summary>In turn.</summary>
    Normal,

    /// <summary>Before the others.</summary>
    High,
}

/// <summary>The effect of putting a new definition over an existing one.</summary>
public enum IndexLockMode
{
    /// <summary>It replaces the existing one.</summary>
    Unlock = 0,

    /// <summary>It is ignored.</summary>
    LockedIgnore,

    /// <summary>It is an error.</summary>
    LockedError,
}
