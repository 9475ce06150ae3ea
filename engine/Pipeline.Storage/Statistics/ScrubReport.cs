namespace Pipeline.Storage;

/// <summary>The result of a scrub.</summary>
/// <param name="StartedAt">When it began.</param>
/// <param name="Duration">How long it took, waits for its rate included.</param>
/// <param name="Pages">Pages verified in the data file, those of runs included.</param>
/// <param name="PagesInMemory">
/// Pages whose newest version is yet to be written to the data file, so that what lies there does not count.
/// </param>
/// <param name="Trees">Trees gone through.</param>
/// <param name="Damaged">The damaged pages, in the order in which they were found; at most 1,000.</param>
/// <param name="DamagedPages">How many there are.</param>
public sealed record ScrubReport(
    DateTimeOffset StartedAt,
    TimeSpan Duration,
    long Pages,
    long PagesInMemory,
    int Trees,
    IReadOnlyList<DamagedPage> Damaged,
    long DamagedPages
)
{
    /// <summary>
    /// Pages that were damaged and got their content back from an equal store while the scrub ran, at most 1,000.
    /// <see cref="DamagedPages"/> leaves them out.
    /// </summary>
    public IReadOnlyList<RepairedPage> Repaired { get; init; } = [];

    /// <summary>Whether no page is damaged.</summary>
    public bool IsSound => DamagedPages == 0;
}
