using Pipeline.Cluster;
using Pipeline.Hosting.Cluster;
using Pipeline.KafkaLog;
using Pipeline.TestKit.Logging;
using Pipeline.TestKit.Time;
using Xunit;

namespace Pipeline.Tests.Worker.Cluster;

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
        var opened = SharedLogs.WhenThereAsync(
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
            SharedLogs.WhenThereAsync(
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
        var opened = SharedLogs.WhenThereAsync(
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

    private static KafkaLogUnavailableException Away() => new("topic at kafka:9092", "no broker answers");
}
