using Pipeline.Documents.Maintenance;
using Pipeline.Storage;

namespace Pipeline.Hosting;

/// <summary>Scrubs, as <c>/storage</c> shows them.</summary>
internal sealed record ScrubView(
    bool IsRunning,
    string Tree,
    long Pages,
    long TotalPages,
    long DamagedPages,
    IReadOnlyList<DamageView> Damaged,
    ScrubReportView? Last
)
{
    /// <summary>Pages repaired from other nodes since the start.</summary>
    public long RepairedPages { get; init; }

    /// <summary>The last of them.</summary>
    public IReadOnlyList<RepairedPage> Repaired { get; init; } = [];

    /// <summary>Converts the figures.</summary>
    public static ScrubView? Of(ScrubStatistics? scrub) =>
        scrub is null
            ? null
            : new ScrubView(
                scrub.IsRunning,
                scrub.Progress.Tree,
                scrub.Progress.Pages,
                scrub.Progress.TotalPages,
                scrub.DamagedPages,
                [.. scrub.Damaged.Select(DamageView.Of)],
                scrub.Last is null ? null : ScrubReportView.Of(scrub.Last)
            )
            {
                RepairedPages = scrub.RepairedPages,
                Repaired = scrub.Repaired,
            };
}

/// <summary>A completed scrub.</summary>
internal sealed record ScrubReportView(
    DateTimeOffset StartedAt,
    double Seconds,
    long Pages,
    long PagesInMemory,
    int Trees,
    long DamagedPages,
    IReadOnlyList<DamageView> Damaged
)
{
    /// <summary>The most documents to name.</summary>
    public const int MaxDocuments = 100;

    /// <summary>Ids of unreadable documents; null if they were not requested.</summary>
    public IReadOnlyList<string>? Documents { get; init; }

    /// <summary>Whether <see cref="Documents"/> is complete.</summary>
    public bool? AreAllDocuments { get; init; }

    /// <summary>Pages that it repaired from other nodes of the cluster.</summary>
    public IReadOnlyList<RepairedPage> Repaired { get; init; } = [];

    /// <summary>Adds the affected documents.</summary>
    public ScrubReportView With(AffectedDocuments affected) =>
        this with
        {
            Documents = affected.Ids,
            AreAllDocuments = affected.IsComplete,
        };

    public static ScrubReportView Of(ScrubReport report) =>
        new(
            report.StartedAt,
            report.Duration.TotalSeconds,
            report.Pages,
            report.PagesInMemory,
            report.Trees,
            report.DamagedPages,
            [.. report.Damaged.Select(DamageView.Of)]
        )
        {
            Repaired = report.Repaired,
        };
}

/// <summary>A damaged page.</summary>
internal sealed record DamageView(string File, long Page, string Tree, string Reason, string? Keys, string Description)
{
    public static DamageView Of(DamagedPage damage) =>
        new(damage.File, damage.Page, damage.Tree, damage.Reason, damage.Affected?.ToString(), damage.ToString());
}
