using Pipeline.Cluster;
using Pipeline.Hosting.Cluster;
using Pipeline.KafkaLog;
using Pipeline.Storage;
using Pipeline.TestKit.Files;
using Pipeline.TestKit.Logging;
using Pipeline.TestKit.Time;
using Xunit;

namespace Pipeline.Worker.Tests.Cluster;

/// <summary>A node that starts before its brokers waits for them.</summary>
public sealed class SharedLogsTests : IDisposable
{
    private readonly TestFolder _folder = new();
    private readonly ManualTimeProvider _time = new();
    private readonly CapturedLines _lines = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public async Task Brokers_that_are_away_are_waited_for_longer_and_longer()
    {
        await using ISharedLog log = await DirectoryLog.OpenAsync(_folder["log"], new DirectoryLogOptions(), default);
        var tries = 0;
        var opened = SharedLogs.UntilAvailableAsync<ISharedLog>(
            _ => ++tries < 7 ? throw Away() : Task.FromResult<ISharedLog>(log),
            "n1",
            _time,
            _lines.CreateLogger("cluster"),
            default
        );
        foreach (var seconds in (int[])[1, 2, 4, 8, 10, 10])
        {
            Assert.False(opened.IsCompleted);
            Assert.Equal(TimeSpan.FromSeconds(seconds), await _time.NextTimerAsync());
            _time.Advance(TimeSpan.FromSeconds(seconds));
        }

        Assert.Same(log, await opened);
        Assert.Equal(6, _lines.Lines.Count);
        Assert.Contains(
            "n1 cannot start yet: The log 'topic at kafka:9092' cannot be used now: no broker answers",
            _lines.Lines.First(),
            StringComparison.Ordinal
        );
    }

    [Fact]
    public async Task A_topic_that_would_lose_records_is_refused_at_once()
    {
        await Assert.ThrowsAsync<KafkaLogRefusedException>(() =>
            SharedLogs.UntilAvailableAsync<ISharedLog>(
                _ => throw new KafkaLogRefusedException("topic at kafka:9092", ["it has 1 copy"]),
                "n1",
                _time,
                _lines.CreateLogger("cluster"),
                default
            )
        );
        Assert.Empty(_lines.Lines);
    }

    [Fact]
    public async Task A_stop_ends_the_wait()
    {
        using var stop = new CancellationTokenSource();
        var opened = SharedLogs.UntilAvailableAsync<ISharedLog>(
            _ => throw Away(),
            "n1",
            _time,
            _lines.CreateLogger("cluster"),
            stop.Token
        );
        await _time.NextTimerAsync();
        await stop.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => opened);
    }

    [Fact]
    public async Task Brokers_that_go_away_before_a_node_knows_where_the_log_begins_are_waited_for()
    {
        await using var log = new LogThatIsAway(await DirectoryLog.OpenAsync(_folder["log"]));
        var looking = NodeRefill.FindNeedAsync(
            new StorageOptions { Path = _folder["n1"] },
            log,
            "n1",
            _time,
            _lines.CreateLogger("cluster"),
            default
        );
        Assert.Equal(TimeSpan.FromSeconds(1), await _time.NextTimerAsync());
        log.Answers = true;
        _time.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal(RefillNeed.Possible, await looking);
    }

    [Fact]
    public async Task Brokers_that_go_away_after_the_log_was_opened_are_waited_for()
    {
        var opened = new List<LogThatIsAway>();
        var opening = SharedLogs.OpenAsync(
            async stop =>
            {
                opened.Add(
                    new LogThatIsAway(await DirectoryLog.OpenAsync(_folder["log"], cancellationToken: stop))
                    {
                        Answers = opened.Count > 0,
                    }
                );
                return opened[^1];
            },
            () => null,
            "n1",
            _time,
            _lines.CreateLogger("cluster"),
            default
        );
        Assert.Equal(TimeSpan.FromSeconds(1), await _time.NextTimerAsync());
        Assert.True(opened.Single().IsClosed);
        _time.Advance(TimeSpan.FromSeconds(1));
        await using (var log = await opening)
            Assert.Equal(0, (await log.GetBoundsAsync()).End);
        Assert.Equal([true, true], opened.Select(l => l.IsClosed));
        Assert.Contains("n1 cannot start yet", _lines.Lines.Single(), StringComparison.Ordinal);
    }

    private sealed class LogThatIsAway(ISharedLog inner) : ISharedLog
    {
        public bool Answers { get; set; }

        public bool IsClosed { get; private set; }

        public string Name => inner.Name;

        public int MaxRecordBytes => inner.MaxRecordBytes;

        public ValueTask<LogBounds> GetBoundsAsync(CancellationToken cancellationToken = default) =>
            Answers ? inner.GetBoundsAsync(cancellationToken) : throw Away();

        public ValueTask<AppendAnswer> AppendAsync(
            ReadOnlyMemory<byte> record,
            long expected,
            CancellationToken cancellationToken = default
        ) => inner.AppendAsync(record, expected, cancellationToken);

        public ValueTask<LogBatch> ReadAsync(
            long from,
            int maxBytes,
            TimeSpan wait,
            CancellationToken cancellationToken = default
        ) => inner.ReadAsync(from, maxBytes, wait, cancellationToken);

        public ValueTask TrimAsync(long before, CancellationToken cancellationToken = default) =>
            inner.TrimAsync(before, cancellationToken);

        public ValueTask DisposeAsync()
        {
            IsClosed = true;
            return inner.DisposeAsync();
        }
    }

    private static KafkaLogUnavailableException Away() => new("topic at kafka:9092", "no broker answers");
}
