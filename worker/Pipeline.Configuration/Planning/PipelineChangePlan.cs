using Pipeline.Etl.Records;

namespace Pipeline.Configuration.Planning;

/// <summary>What a configuration would change. Immutable.</summary>
public sealed record PipelineChangePlan
{
    /// <summary>The configuration file.</summary>
    public required string File { get; init; }

    /// <summary>The database's last position when it was planned.</summary>
    public required long LastPosition { get; init; }

    /// <summary>The tasks: those of the file in its order, then those that it no longer has.</summary>
    public IReadOnlyList<TaskChange> Tasks { get; init; } = [];

    /// <summary>The indexes.</summary>
    public IReadOnlyList<ObjectChange> Indexes { get; init; } = [];

    /// <summary>The subscriptions.</summary>
    public IReadOnlyList<ObjectChange> Subscriptions { get; init; } = [];

    /// <summary>The backups of a running worker.</summary>
    public IReadOnlyList<ObjectChange> Backups { get; init; } = [];

    /// <summary>Other settings that a running worker applies at once: whether the file is watched.</summary>
    public IReadOnlyList<SettingChange> Settings { get; init; } = [];

    /// <summary>Settings that a running worker applies only after a restart.</summary>
    public IReadOnlyList<SettingChange> NeedsRestart { get; init; } = [];

    /// <summary>Whether there is nothing to do.</summary>
    public bool IsEmpty =>
        Tasks.All(t =>
            t.Kind == TaskChangeKind.Unchanged || t is { Kind: TaskChangeKind.Removed, KeepsRegistration: true }
        )
        && Indexes.Concat(Subscriptions).Concat(Backups).All(o => o.Kind is "unchanged" or "kept")
        && Settings.Count == 0
        && NeedsRestart.Count == 0;
}
