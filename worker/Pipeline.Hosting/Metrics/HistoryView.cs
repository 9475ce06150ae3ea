namespace Pipeline.Hosting.Metrics;

/// <summary>Figures of the last hour.</summary>
/// <param name="Last">The time of the last point.</param>
/// <param name="SecondsPerPoint">The time that one point stands for.</param>
/// <param name="Series">The points of each figure, oldest first; null where there was no value.</param>
internal sealed record HistoryView(
    DateTimeOffset Last,
    double SecondsPerPoint,
    IReadOnlyDictionary<string, float?[]> Series
)
{
    /// <summary>The time between two values of a ring.</summary>
    public static readonly TimeSpan Interval = TimeSpan.FromSeconds(2);

    /// <summary>How many values of each figure a ring keeps: those of an hour.</summary>
    public const int Samples = 1800;

    /// <summary>The last values of a ring to which one is added at each <see cref="Interval"/>.</summary>
    /// <param name="ring">The ring.</param>
    /// <param name="span">How far to look back.</param>
    /// <param name="points">How many points of each figure at most.</param>
    /// <param name="isPeak">Whether a figure is shown by its peaks, not by its means.</param>
    public static HistoryView Read(HistoryRing ring, TimeSpan span, int points, Func<string, bool> isPeak)
    {
        var (last, perPoint, series) = ring.Read((int)Math.Clamp(span / Interval, 1, Samples), points, isPeak);
        return new HistoryView(last, perPoint * Interval.TotalSeconds, series);
    }
}
