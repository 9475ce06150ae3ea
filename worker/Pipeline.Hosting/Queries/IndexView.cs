using Pipeline.Database;
using Pipeline.Database.Indexes;
using Pipeline.Database.Queries.Catalog;

namespace Pipeline.Hosting.Queries;

/// <summary>An index as <c>/indexes</c> shows it and <c>pipeline indexes</c> prints it.</summary>
internal sealed record IndexView(
    string Name,
    string State,
    string? Failure,
    bool IsAutomatic,
    long Entries,
    long Mapped,
    long Errors,
    long Position,
    long Lag,
    double LagSeconds,
    DateTimeOffset? LastIndexed,
    long? ReplacementPosition,
    IReadOnlyList<IndexBatchView> Batches
)
{
    private const int MaxBatches = 20;

    /// <summary>The current state of all indexes.</summary>
    public static IReadOnlyList<IndexView> Of(DocumentDatabase database) =>
        [.. database.Indexes.List().Select(i => Of(database, i))];

    private static IndexView Of(DocumentDatabase database, IndexInfo index) =>
        new(
            index.Name,
            index.State.ToString().ToLowerInvariant(),
            index.Failure,
            index.Definition.Auto is not null,
            index.Entries,
            index.Mapped,
            index.Errors,
            index.Position,
            index.Lag,
            index.LagTime.TotalSeconds,
            index.LastIndexed,
            index.ReplacementPosition,
            [.. LastBatches(database, index.Name).TakeLast(MaxBatches).Select(IndexBatchView.Of)]
        );

    private static IReadOnlyList<IndexBatchStatistics> LastBatches(DocumentDatabase database, string name)
    {
        try
        {
            return database.Indexes.GetBatches(name);
        }
        catch (IndexNotFoundException)
        {
            // It was deleted after it was listed.
            return [];
        }
    }
}

/// <summary>A batch of an index.</summary>
internal sealed record IndexBatchView(
    DateTimeOffset Started,
    int Changes,
    int Documents,
    int Deletes,
    int Entries,
    int Groups,
    int Errors,
    long DocumentBytes,
    long MemoryBytes,
    double MapSeconds,
    double ReduceSeconds,
    double CommitSeconds,
    double ThrottledSeconds,
    long Through
)
{
    /// <summary>Creates the view of a batch.</summary>
    public static IndexBatchView Of(IndexBatchStatistics batch) =>
        new(
            batch.Started,
            batch.Changes,
            batch.Documents,
            batch.Deletes,
            batch.Entries,
            batch.Groups,
            batch.Errors,
            batch.DocumentBytes,
            batch.MemoryBytes,
            batch.MapTime.TotalSeconds,
            batch.ReduceTime.TotalSeconds,
            batch.CommitTime.TotalSeconds,
            batch.ThrottledTime.TotalSeconds,
            batch.Through
        );
}

/// <summary>A document or group that could not be indexed.</summary>
internal sealed record IndexErrorView(
    DateTimeOffset Time,
    string? DocumentId,
    long Position,
    string Source,
    int Line,
    int Column,
    string Message
)
{
    /// <summary>Creates the view of a stored error.</summary>
    public static IndexErrorView Of(IndexError error) =>
        new(error.Time, error.DocumentId, error.Position, error.Source, error.Line, error.Column, error.Message);
}
