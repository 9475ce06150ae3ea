using System.Globalization;

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

/// <summary>How far a scrub is.</summary>
/// <param name="Tree">The tree that it is in.</param>
/// <param name="Pages">Pages dealt with.</param>
/// <param name="TotalPages">Pages in use when it was last looked.</param>
/// <param name="DamagedPages">Damaged ones among them.</param>
public readonly record struct ScrubProgress(string Tree, long Pages, long TotalPages, long DamagedPages);

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

/// <summary>A page in use whose content in the data file differs from the written content.</summary>
/// <param name="File">The data file.</param>
/// <param name="Page">The page's number, that of the first page for a run.</param>
/// <param name="Tree">
/// The tree that it belongs to; <c>(catalog)</c>, <c>(allocation)</c> or <c>(meta)</c> if it belongs to no user tree.
/// </param>
/// <param name="Reason">The damage.</param>
/// <param name="Affected">The keys of the tree that cannot be read without it; null if it belongs to no tree.</param>
public sealed record DamagedPage(string File, long Page, string Tree, string Reason, KeyRange? Affected)
{
    /// <inheritdoc/>
    public override string ToString() =>
        string.Create(
            CultureInfo.InvariantCulture,
            $"{File}: page {Page} of tree '{Tree}' is damaged: {Reason}{(Affected is null ? "" : $"; {Affected} cannot be read")}"
        );
}

/// <summary>A page that was damaged and got its content back from an equal store.</summary>
/// <param name="Page">The page, or the first one of a run.</param>
/// <param name="Tree">The tree that it belongs to; null if a read found the damage.</param>
/// <param name="Source">The name of the other store.</param>
/// <param name="Time">When it was repaired.</param>
public sealed record RepairedPage(long Page, string? Tree, string Source, DateTimeOffset Time);
