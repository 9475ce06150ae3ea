using Pipeline.Storage;

namespace Pipeline.Hosting;

/// <summary>The storage's figures, as <c>/storage</c> shows them and <c>pipeline io-stats</c> reads them.</summary>
internal sealed record StorageView
{
    public required long Transaction { get; init; }

    public required long Checkpoint { get; init; }

    public required long DataFileBytes { get; init; }

    public required long AllocatedBytes { get; init; }

    public required long FreeBytes { get; init; }

    public required long HoleBytes { get; init; }

    public required long PunchedBytes { get; init; }

    public required bool CanPunchHoles { get; init; }

    public required long UnflushedJournalBytes { get; init; }

    public required long ScratchBytes { get; init; }

    public string? Failure { get; init; }

    public long Refusals { get; init; }

    public IReadOnlyList<DiskSpace> Disks { get; init; } = [];

    public required IReadOnlyList<ReaderView> Readers { get; init; }

    public required IReadOnlyList<IoView> Io { get; init; }

    public ScrubView? Scrub { get; init; }

    /// <summary>Reads the current figures.</summary>
    public static StorageView Of(StorageEnvironment storage)
    {
        var figures = storage.GetStatistics();
        return new StorageView
        {
            Transaction = figures.LastCommittedTransaction,
            Checkpoint = figures.CheckpointTransaction,
            DataFileBytes = figures.DataFileBytes,
            AllocatedBytes = figures.DataFileAllocatedBytes,
            FreeBytes = figures.FreeBytes,
            HoleBytes = figures.HoleBytes,
            PunchedBytes = figures.PunchedBytes,
            CanPunchHoles = figures.CanPunchHoles,
            UnflushedJournalBytes = figures.UnflushedJournalBytes,
            ScratchBytes = figures.ScratchBytes,
            Failure = figures.Failure?.Message,
            Refusals = figures.Refusals,
            Disks = storage.GetDiskSpace(),
            Readers = [.. figures.Readers.Select(ReaderView.Of)],
            Scrub = ScrubView.Of(figures.Scrub),
            Io = [.. storage.GetIoStatistics().Select(IoView.Of)],
        };
    }
}

/// <summary>An open read transaction.</summary>
internal sealed record ReaderView(
    string Owner,
    long Transaction,
    double AgeSeconds,
    long HeldTransactions,
    long HeldVersions,
    long HeldBytes,
    long HeldJournalBytes
)
{
    public static ReaderView Of(ReaderStatistics reader) =>
        new(
            reader.Owner,
            reader.Transaction,
            reader.Age.TotalSeconds,
            reader.HeldTransactions,
            reader.HeldVersions,
            reader.HeldBytes,
            reader.HeldJournalBytes
        );
}

/// <summary>One kind of I/O.</summary>
internal sealed record IoView(
    string Kind,
    long Count,
    long Bytes,
    double Seconds,
    double LongestSeconds,
    double BytesPerSecond,
    double P50Seconds,
    double P99Seconds,
    IReadOnlyList<BucketView> Durations,
    IReadOnlyList<BucketView> Sizes,
    IReadOnlyList<OperationView> Recent
)
{
    public static IoView Of(IoStatistics io) =>
        new(
            io.Kind.ToString(),
            io.Count,
            io.Bytes,
            io.Duration.TotalSeconds,
            io.Longest.TotalSeconds,
            io.BytesPerSecond,
            io.Percentile(0.5).TotalSeconds,
            io.Percentile(0.99).TotalSeconds,
            [.. io.Durations.Select(b => new BucketView(b.Below.TotalSeconds, b.Count))],
            [.. io.Sizes.Select(b => new BucketView(b.Below, b.Count))],
            [.. io.Recent.Select(r => new OperationView(r.EndedAt, r.Bytes, r.Duration.TotalSeconds, r.BytesPerSecond))]
        );
}

/// <summary>The number of operations below a bound (seconds or bytes) and not below the previous bucket's.</summary>
internal sealed record BucketView(double Below, long Count);

/// <summary>One write, sync or flush.</summary>
internal sealed record OperationView(DateTimeOffset EndedAt, long Bytes, double Seconds, double BytesPerSecond);
