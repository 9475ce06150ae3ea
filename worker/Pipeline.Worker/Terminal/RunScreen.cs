using System.Globalization;
using Microsoft.Extensions.Logging;
using Pipeline.Hosting;
using Spectre.Console;

namespace Pipeline.Worker.Terminal;

/// <summary>
/// Shows a run in progress. On a terminal this is a redrawn table with log lines above it; otherwise only log lines and
/// an occasional progress line. Thread-safe.
/// </summary>
internal sealed class RunScreen
{
    private static readonly TimeSpan Redraw = TimeSpan.FromMilliseconds(200);
    private static readonly TimeSpan Tell = TimeSpan.FromSeconds(10);

    private readonly WorkerConsole _console;
    private readonly TimeProvider _time;

    // Spectre's live display and its console take their locks in opposite orders and could deadlock, so one lock guards
    // both.
    private readonly Lock _drawing = new();
    private IAnsiConsole? _live;

    public RunScreen(WorkerConsole console, TimeProvider time)
    {
        _console = console;
        _time = time;
    }

    /// <summary>Writes a log line.</summary>
    public void WriteLog(LogLevel level, string line)
    {
        lock (_drawing)
        {
            if (_live is null)
            {
                _console.WriteLine(level, line);
                return;
            }
            var style =
                level >= LogLevel.Error ? new Style(Color.Red)
                : level == LogLevel.Warning ? new Style(Color.Yellow)
                : Style.Plain;
            _live.Write(new LineAboveTable(line, style));
        }
    }

    /// <summary>
    /// Shows progress until <paramref name="work"/> ends, and then returns its result or throws its error.
    /// </summary>
    /// <param name="work">The work.</param>
    /// <param name="progress">Reads the state of the tasks; called from another thread.</param>
    /// <param name="logger">Receives the progress lines if there is no terminal.</param>
    public async Task ShowAsync(Task work, Func<IReadOnlyList<TaskReport>> progress, ILogger logger)
    {
        if (_console.IsErrorTerminal)
            await DrawAsync(work, progress).ConfigureAwait(false);
        else
            await TellAsync(work, progress, logger).ConfigureAwait(false);
        await work.ConfigureAwait(false);
    }

    private async Task DrawAsync(Task work, Func<IReadOnlyList<TaskReport>> progress)
    {
        var ansi = SummaryTable.ConsoleFor(_console.Error, isTerminal: true);
        await ansi.Live(SummaryTable.Draw(progress()))
            .AutoClear(true)
            .StartAsync(async context =>
            {
                SetLive(ansi);
                try
                {
                    using var timer = new PeriodicTimer(Redraw, _time);
                    while (!work.IsCompleted)
                    {
                        var table = SummaryTable.Draw(progress());
                        lock (_drawing)
                            context.UpdateTarget(table);
                        await Task.WhenAny(work, timer.WaitForNextTickAsync().AsTask()).ConfigureAwait(false);
                    }
                }
                finally
                {
                    SetLive(null);
                }
            })
            .ConfigureAwait(false);
    }

    private void SetLive(IAnsiConsole? live)
    {
        lock (_drawing)
        {
            _live = live;
            _console.Interject = live is null ? null : line => WriteLog(LogLevel.Warning, line);
        }
    }

    private async Task TellAsync(Task work, Func<IReadOnlyList<TaskReport>> progress, ILogger logger)
    {
        var told = "";
        using var timer = new PeriodicTimer(Tell, _time);
        while (await Task.WhenAny(work, timer.WaitForNextTickAsync().AsTask()).ConfigureAwait(false) != work)
        {
            var line = string.Join("; ", progress().Select(Describe));
            if (line != told)
                WorkerLog.Progress(logger, line);
            told = line;
        }
    }

    private static string Describe(TaskReport task) =>
        string.Create(
            CultureInfo.InvariantCulture,
            $"{task.Name} {task.State}, position {task.Place}, {task.Messages:N0} messages, {task.DeadLetters:N0} dead letters{(task.FailedAgain == 0 ? "" : $", {task.FailedAgain:N0} failed again")}"
        );
}
