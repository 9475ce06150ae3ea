using Pipeline.Etl.Records;

namespace Pipeline.Configuration.Planning;

/// <summary>What happens to an index, a subscription or a backup.</summary>
/// <param name="Name">Its name.</param>
/// <param name="Kind"><c>added</c>, <c>changed</c> or <c>unchanged</c>. If the file no longer has it, a backup is
/// <c>removed</c>; an index or a subscription is <c>kept</c> until a command deletes it.</param>
/// <param name="Note">What that means.</param>
public sealed record ObjectChange(string Name, string Kind, string Note);

/// <summary>
/// The messages that a transform makes from one real document, before and after a change of the configuration.
/// </summary>
/// <param name="DocumentId">The document.</param>
/// <param name="Old">
/// The messages as lines of YAML, or the error; <see langword="null"/> if there was no transform before.
/// </param>
/// <param name="New">The messages after the change as lines of YAML, or the error.</param>
/// <param name="Difference">Lines that begin with <c>-</c>, <c>+</c> or a space; empty if both are equal.</param>
public sealed record SampleChange(string DocumentId, string? Old, string New, IReadOnlyList<string> Difference);

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

/// <summary>The planned change of one task.</summary>
public sealed record TaskChange
{
    /// <summary>The task's name.</summary>
    public required string Name { get; init; }

    /// <summary>What becomes of it.</summary>
    public required TaskChangeKind Kind { get; init; }

    /// <summary>Where it continues; 0 is the beginning of the database.</summary>
    public required long Position { get; init; }

    /// <summary>About how many changes of its collections wait behind the position.</summary>
    public required long Waiting { get; init; }

    /// <summary>The settings that differ; those of a task that is added are not listed.</summary>
    public IReadOnlyList<SettingChange> Settings { get; init; } = [];

    /// <summary>
    /// The settings that were not compared, since their secrets were not read: a plan runs no commands of the file
    /// unless told to.
    /// </summary>
    public IReadOnlyList<string> NotCompared { get; init; } = [];

    /// <summary>Whether the task may send different messages for the same documents.</summary>
    public bool ChangesMessages { get; init; }

    /// <summary>How many documents were tried: the newest that it takes.</summary>
    public int Tried { get; init; }

    /// <summary>The number of tried documents that give different messages.</summary>
    public int Different { get; init; }

    /// <summary>
    /// Why the earlier messages are unknown, for example because the old transform no longer compiles;
    /// <see langword="null"/> if they are known. If set, <see cref="Different"/> is 0.
    /// </summary>
    public string? OldProblem { get; init; }

    /// <summary>Some of the tried documents; those that give different messages come first.</summary>
    public IReadOnlyList<SampleChange> Samples { get; init; } = [];

    /// <summary>
    /// With <see cref="TaskChangeKind.Removed"/>: whether it stays registered as a follower of the changes, for which
    /// tombstones are kept.
    /// </summary>
    public bool KeepsRegistration { get; init; }

    /// <summary>With <see cref="TaskChangeKind.Removed"/>: tombstones that are kept for it.</summary>
    public long HeldTombstones { get; init; }

    /// <summary>Its dead letters.</summary>
    public int DeadLetters { get; init; }
}
