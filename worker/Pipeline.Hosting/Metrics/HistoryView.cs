namespace Pipeline.Hosting.Metrics;

/// <summary>Figures of the last hour.</summary>
/// <param name="Last">The time of the last point.</param>
/// <param name="SecondsPerPoint">The time that one point stands for.</param>
/// <param name="Series">The points of each figure, oldest first; null where there was no value.</param>
internal sealed record HistoryView(
    DateTimeOffset Last,
    double SecondsPerPoint,
    IReadOnlyDictionary<string, float?[]> Series
);
