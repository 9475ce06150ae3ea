namespace Pipeline.Etl.Connectors;

/// <summary>Why a task waits for a person's decision.</summary>
/// <param name="Reason">What was found, and what to do.</param>
/// <param name="Since">When it was found.</param>
/// <param name="Position">The task's position then.</param>
/// <param name="Target">
/// The target's record, or <see langword="null"/> if the database itself was restored or copied.
/// </param>
public sealed record TaskConflict(string Reason, DateTimeOffset Since, long Position, TargetMark? Target)
{
    /// <summary>Whether the task's own script is the reason: the process ended again and again while it ran.</summary>
    public bool IsOfScript { get; init; }
}
