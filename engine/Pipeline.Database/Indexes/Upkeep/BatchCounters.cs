using System.Diagnostics;

namespace Pipeline.Database.Indexes;

/// <summary>Counts the work of a batch.</summary>
internal sealed class BatchCounters
{
    public int Changes { get; set; }

    public int Documents { get; set; }

    public int Deletes { get; set; }

    public int Entries { get; set; }

    public int Groups { get; set; }

    public long DocumentBytes { get; set; }

    public long MemoryBytes { get; set; }

    public TimeSpan Throttled { get; set; }

    public List<IndexError> Errors { get; } = [];

    public Stopwatch Map { get; } = new();

    public Stopwatch Reduce { get; } = new();

    public Stopwatch Commit { get; } = new();

    public IndexBatchStatistics ToStatistics(DateTimeOffset started, long through) =>
        new()
        {
            Started = started,
            Changes = Changes,
            Documents = Documents,
            Deletes = Deletes,
            Entries = Entries,
            Groups = Groups,
            Errors = Errors.Count,
            DocumentBytes = DocumentBytes,
            MemoryBytes = MemoryBytes,
            MapTime = Map.Elapsed - Throttled,
            ReduceTime = Reduce.Elapsed,
            CommitTime = Commit.Elapsed,
            ThrottledTime = Throttled,
            Through = through,
        };
}
