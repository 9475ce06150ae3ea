namespace Pipeline.Storage;

/// <summary>Findings of scrubs about the data file since the opening.</summary>
/// <param name="IsRunning">Whether one is running.</param>
/// <param name="Progress">How far it, or else the last one, has come.</param>
/// <param name="Damaged">
/// Damaged pages: those that the last whole scrub has found, and any found since; at most 1,000 of each.
/// </param>
/// <param name="Last">The last whole scrub; null before the first one.</param>
public sealed record ScrubStatistics(
    bool IsRunning,
    ScrubProgress Progress,
    IReadOnlyList<DamagedPage> Damaged,
    ScrubReport? Last
)
{
    /// <summary>The last 1,000 pages that were repaired from an equal store since the opening, oldest first.</summary>
    public IReadOnlyList<RepairedPage> Repaired { get; init; } = [];

    /// <summary>Pages repaired since the opening.</summary>
    public long RepairedPages { get; init; }

    /// <summary>How many pages are known to be damaged; the list has fewer if there are more than 1,000.</summary>
    public long DamagedPages => Math.Max(Damaged.Count, Last?.DamagedPages ?? 0);
}
