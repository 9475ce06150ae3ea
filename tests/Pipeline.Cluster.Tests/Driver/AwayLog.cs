namespace Pipeline.Cluster.Tests.Driver;

/// <summary>A node's way to a log, which can be cut: reads fail, and appends answer after their records may have landed.</summary>
internal sealed class AwayLog(ISharedLog log) : ISharedLog
{
    private int _appends;

    /// <summary>Whether the log does not answer this node.</summary>
    public volatile bool IsAway;

    /// <summary>Every so many appends land without an answer; 0 for none.</summary>
    public int LosesAnswers { get; init; }

    public string Name => log.Name;

    public int MaxRecordBytes => log.MaxRecordBytes;

    public async ValueTask<AppendAnswer> AppendAsync(
        ReadOnlyMemory<byte> record,
        long expected,
        CancellationToken cancellationToken = default
    )
    {
        if (IsAway)
            throw new IOException("planted: the log is away");
        var answer = await log.AppendAsync(record, expected, cancellationToken);
        var loses = LosesAnswers > 0 && Interlocked.Increment(ref _appends) % LosesAnswers == 0;
        return IsAway || loses ? AppendAnswer.Unknown(new IOException("planted: the answer is lost")) : answer;
    }

    public ValueTask<LogBatch> ReadAsync(
        long from,
        int maxBytes,
        TimeSpan wait,
        CancellationToken cancellationToken = default
    ) =>
        IsAway
            ? throw new IOException("planted: the log is away")
            : log.ReadAsync(from, maxBytes, wait, cancellationToken);

    public ValueTask<LogBounds> GetBoundsAsync(CancellationToken cancellationToken = default) =>
        log.GetBoundsAsync(cancellationToken);

    public ValueTask TrimAsync(long before, CancellationToken cancellationToken = default) =>
        log.TrimAsync(before, cancellationToken);

    public ValueTask DisposeAsync() => log.DisposeAsync();
}
