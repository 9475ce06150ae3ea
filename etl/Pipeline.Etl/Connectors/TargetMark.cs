namespace Pipeline.Etl.Connectors;

/// <summary>What a target remembers of a task: the last position it holds, and who wrote it.</summary>
/// <param name="Position">The position.</param>
/// <param name="Lineage">The id of the database's lineage, empty for the first.</param>
/// <param name="Run">The task's run that wrote it; <see langword="null"/> if an older program did.</param>
public sealed record TargetMark(long Position, string Lineage, string? Run)
{
    /// <summary>
    /// The position of a change that the target holds; <see langword="null"/> if an older program wrote the record.
    /// </summary>
    public long? Change { get; init; }

    /// <summary>
    /// When that change was written. It distinguishes the change from another one at the same position.
    /// </summary>
    public DateTimeOffset? Time { get; init; }
}
