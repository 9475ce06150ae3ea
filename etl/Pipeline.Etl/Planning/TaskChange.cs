namespace Pipeline.Etl.Planning;

/// <summary>What becomes of one task.</summary>
public sealed record TaskChange
{
    /// <summary>The task's name.</summary>
    public required string Name { get; init; }

    /// <summary>What becomes of it.</summary>
    public required TaskChangeKind Kind { get; init; }

    /// <summary>Where it goes on; 0 is the database's beginning.</summary>
    public required long Position { get; init; }

    /// <summary>About how many changes of its collections wait behind the position.</summary>
    public required long Waiting { get; init; }

    /// <summary>The settings that differ; those of a task that is added are not listed.</summary>
    public IReadOnlyList<SettingChange> Settings { get; init; } = [];

    /// <summary>The settings that were not compared, since their secrets were not read: a plan runs no commands of the file unless told to.</summary>
    public IReadOnlyList<string> NotCompared { get; init; } = [];

    /// <summary>Whether what it sends of the same documents may be different.</summary>
    public bool ChangesMessages { get; init; }

    /// <summary>How many documents were tried: the newest that it takes.</summary>
    public int Tried { get; init; }

    /// <summary>How many of them give other messages than before.</summary>
    public int Different { get; init; }

    /// <summary>Why it is not known what was sent before, such as a transform of before that does not compile any more; <see langword="null"/> where it is. Then <see cref="Different"/> is 0.</summary>
    public string? OldProblem { get; init; }

    /// <summary>Some of them: first those that give other messages.</summary>
    public IReadOnlyList<SampleChange> Samples { get; init; } = [];

    /// <summary>With <see cref="TaskChangeKind.Removed"/>: whether it stays registered as a follower of the changes, for which tombstones are kept.</summary>
    public bool KeepsRegistration { get; init; }

    /// <summary>With <see cref="TaskChangeKind.Removed"/>: tombstones that are kept for it.</summary>
    public long HeldTombstones { get; init; }

    /// <summary>Its dead letters.</summary>
    public int DeadLetters { get; init; }
}
