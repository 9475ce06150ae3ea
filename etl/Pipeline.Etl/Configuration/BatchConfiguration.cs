using Pipeline.Yaml;

namespace Pipeline.Etl.Configuration;

/// <summary>
/// The block <c>batch</c> of a task. Batches grow from <see cref="MinDocuments"/> to the limits with the backlog and
/// shrink when the task keeps up.
/// </summary>
public sealed class BatchConfiguration
{
    /// <summary>Documents of the smallest batch while there is a backlog.</summary>
    [Setting(
        "Number of changes in the first batch; it grows fourfold while there is a backlog.",
        Minimum = 1,
        Maximum = 1_000_000
    )]
    public int MinDocuments { get; init; } = 256;

    /// <summary>Documents of the largest batch.</summary>
    [Setting("Most changes in a batch.", Minimum = 1, Maximum = 1_000_000)]
    public int MaxDocuments { get; init; } = 16_384;

    /// <summary>Message bytes after which a batch is closed.</summary>
    [Setting(
        "Bytes of documents read, or of messages made, that close a batch. A task holds at most three such batches in memory.",
        Minimum = 1024,
        Maximum = 1 << 30
    )]
    public long MaxBytes { get; init; } = 16L << 20;

    /// <summary>How long the target should take for a batch at most.</summary>
    [Setting(
        "How long the target should take for a batch. If it takes longer, the next batches are smaller, but not below minDocuments. They grow again when it takes less than half.",
        Minimum = 0.01
    )]
    public TimeSpan TargetTime { get; init; } = TimeSpan.FromSeconds(2);
}
