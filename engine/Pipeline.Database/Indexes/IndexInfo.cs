namespace Pipeline.Database.Indexes;

/// <summary>An index as it is at a moment.</summary>
public sealed record IndexInfo
{
    /// <summary>What it was defined as.</summary>
    public required IndexDefinition Definition { get; init; }

    /// <summary>The name.</summary>
    public string Name => Definition.Name;

    /// <summary>What it does.</summary>
    public required IndexState State { get; init; }

    /// <summary>Why it is in <see cref="IndexState.Error"/>, or why it started in <see cref="IndexState.Disabled"/>: the process ended twice in a row during its batches.</summary>
    public string? Failure { get; init; }

    /// <summary>Every change up to this position is in the index.</summary>
    public required long Position { get; init; }

    /// <summary>Positions between the index and the database: at most so many changes are missing.</summary>
    public required long Lag { get; init; }

    /// <summary>How long the oldest change that is missing has waited, by the database's clock; zero where none is.</summary>
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

    /// <summary>Whether another version of it is being built beside it; its position.</summary>
    public long? ReplacementPosition { get; init; }
}
