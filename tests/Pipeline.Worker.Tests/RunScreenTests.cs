using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using Pipeline.Hosting;
using Pipeline.Worker.Terminal;
using Xunit;

namespace Pipeline.Worker.Tests;

public sealed class RunScreenTests
{
    /// <summary>
    /// Regression: on a terminal the table froze and a task hung in its first log line.
    /// The drawing thread and the logging thread each held the lock that the other wanted.
    /// </summary>
    [Fact]
    public async Task LinesAreLoggedByManyThreadsWhileTheTableIsDrawn()
    {
        const int threads = 4,
            draws = 20;
        var error = new StringWriter();
        var screen = new RunScreen(
            new WorkerConsole(TextWriter.Null, error, Stream.Null, isErrorTerminal: true),
            new FastTime()
        );
        var report = new TaskReport("copy", "running", 1, 2, 3, 4, 5, TimeSpan.FromSeconds(6), null);
        var drawn = 0;
        var logged = new int[threads];

        // Each thread logs without a pause until the table was drawn so often.
        var work = Task.WhenAll(
            Enumerable
                .Range(0, threads)
                .Select(t =>
                    Task.Run(() =>
                    {
                        while (Volatile.Read(ref drawn) < draws)
                            screen.WriteLog(LogLevel.Information, $"line {t}.{logged[t]++};");
                    })
                )
        );
        await screen.ShowAsync(work, Report, NullLogger.Instance).WaitAsync(TimeSpan.FromSeconds(60));

        var text = error.ToString();
        Assert.Equal(logged.Sum(), text.Split("line ").Length - 1);
        for (var t = 0; t < threads; t++)
        {
            if (logged[t] > 0)
                Assert.Contains($"line {t}.{logged[t] - 1};", text);
        }

        Assert.Contains("copy", text);

        IReadOnlyList<TaskReport> Report()
        {
            Interlocked.Increment(ref drawn);
            return [report];
        }
    }

    [Fact]
    public async Task WithoutATerminalNothingIsDrawnAndAnErrorComesThrough()
    {
        var error = new StringWriter();
        var screen = new RunScreen(new WorkerConsole(TextWriter.Null, error, Stream.Null), TimeProvider.System);

        await Assert.ThrowsAsync<InvalidOperationException>(() =>
            screen.ShowAsync(Task.FromException(new InvalidOperationException("no")), () => [], NullLogger.Instance)
        );

        screen.WriteLog(LogLevel.Warning, "a line");
        Assert.Equal("a line" + Environment.NewLine, error.ToString());
    }

    /// <summary>Periods a hundred times as short, so that the table is drawn often.</summary>
    private sealed class FastTime : TimeProvider
    {
        public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period) =>
            System.CreateTimer(callback, state, dueTime / 100, period / 100);
    }
}
