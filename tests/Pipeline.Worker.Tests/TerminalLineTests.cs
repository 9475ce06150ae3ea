using Microsoft.Extensions.Logging;
using Pipeline.Backups.Running;
using Pipeline.Hosting.Logging;
using Pipeline.TestKit.Time;
using Pipeline.Worker.Backups;
using Pipeline.Worker.Terminal;
using Xunit;

namespace Pipeline.Worker.Tests;

/// <summary>Repeated warnings, progress lines, and the log that the worker keeps.</summary>
public sealed class TerminalLineTests
{
    private readonly ManualTimeProvider _time = new();

    [Fact]
    public void A_repeated_warning_is_written_once_and_then_counted()
    {
        var written = new List<string>();
        var lines = new RepeatedLines((_, line) => written.Add(line), _time);
        lines.Write(LogLevel.Warning, "10:00:00 warn task: attempt 1");
        for (var i = 2; i < 5; i++)
            lines.Write(LogLevel.Warning, $"10:00:0{i} warn task: attempt {i}");
        lines.Write(LogLevel.Warning, "10:00:05 warn other: attempt 1");
        lines.Write(LogLevel.Error, "10:00:06 error task");
        lines.Write(LogLevel.Error, "10:00:06 error task");
        Assert.Equal(
            [
                "10:00:00 warn task: attempt 1",
                "10:00:05 warn other: attempt 1",
                "10:00:06 error task",
                "10:00:06 error task",
            ],
            written
        );
        _time.Advance(TimeSpan.FromSeconds(61));
        lines.Write(LogLevel.Warning, "10:01:01 warn task: attempt 5");
        Assert.Equal("10:01:01 warn task: attempt 5 (3 more like it since the last line)", written[^1]);
        _time.Advance(TimeSpan.FromSeconds(61));
        lines.Write(LogLevel.Warning, "10:02:02 warn task: attempt 6");
        Assert.Equal(5, written.Count);
        _time.Advance(TimeSpan.FromHours(3));
        lines.Write(LogLevel.Warning, "13:02:02 warn task: attempt 7");
        Assert.Equal("13:02:02 warn task: attempt 7 (1 more like it since the last line)", written[^1]);
    }

    [Fact]
    public void Progress_has_the_share_the_rate_and_the_time_left()
    {
        Assert.Equal(
            "exporting [######..................] 25 %, 250 of 1,000 documents, 50/s, 0:00:15 left",
            DocumentLine.Draw("exporting", 250, 1_000, TimeSpan.FromSeconds(5))
        );
        Assert.Equal("importing 250 documents, 50/s", DocumentLine.Draw("importing", 250, 0, TimeSpan.FromSeconds(5)));
    }

    /// <summary>With a staging folder, everything is read before the first byte is sent.</summary>
    [Fact]
    public void A_backup_tells_what_it_has_read_before_it_is_sent()
    {
        var progress = new BackupProgress("backing up", 0, 40 << 20, 0) { Read = 30 << 20 };
        Assert.EndsWith(" 0 %, 0 B of 40 MiB, 0 B/s, 30 MiB read", BackupLine.Draw(progress, TimeSpan.FromSeconds(2)));
        Assert.EndsWith(
            " 50 %, 20 MiB of 40 MiB, 10 MiB/s, 0:00:02 left, 30 MiB read",
            BackupLine.Draw(progress with { Done = 20 << 20 }, TimeSpan.FromSeconds(2))
        );
        Assert.EndsWith(
            " 75 %, 30 MiB of 40 MiB, 20 MiB/s, 0:00:00 left",
            BackupLine.Draw(progress with { Done = 30 << 20 }, TimeSpan.FromSeconds(1.5))
        );
    }

    [Fact]
    public void The_kept_log_has_the_last_events_and_filters_them()
    {
        var ring = new LogRing(3);
        using var loggers = new KeptLoggers(LoggerFactory.Create(_ => { }), ring, _time);
        var logger = loggers.CreateLogger("Pipeline.Etl.big");
#pragma warning disable CA1848, CA2254 // The test writes events of any text.
        for (var i = 1; i <= 4; i++)
            logger.Log(i == 3 ? LogLevel.Warning : LogLevel.Information, new EventId(i), $"event {i}");
        logger.LogDebug("not kept");
#pragma warning restore CA1848, CA2254
        Assert.Equal(4, ring.Last);
        Assert.Equal([2L, 3, 4], ring.Read(0, LogLevel.Information, "", 10).Select(l => l.Number));
        Assert.Equal([4L], ring.Read(3, LogLevel.Information, "", 10).Select(l => l.Number));
        Assert.Equal(["warn"], ring.Read(0, LogLevel.Warning, "", 10).Select(l => l.Level));
        Assert.Equal(["event 2"], ring.Read(0, LogLevel.Information, "BIG 2", 10).Select(l => l.Message));
        Assert.Equal([3L, 4], ring.Read(0, LogLevel.Information, "etl", 2).Select(l => l.Number));
    }
}
