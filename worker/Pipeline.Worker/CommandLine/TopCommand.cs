using System.CommandLine;
using Pipeline.Hosting.Tasks;
using Pipeline.Worker.Terminal;
using Spectre.Console;

namespace Pipeline.Worker.CommandLine;

/// <summary><c>pipeline top</c>: the tasks of a running worker, live.</summary>
internal sealed class TopCommand : WorkerCommand
{
    private static readonly TimeSpan Redraw = TimeSpan.FromSeconds(1);
    private readonly Option<string?> _url = WorkerClient.FoundOption();
    private readonly Option<bool> _once = new("--once")
    {
        Description = "Print once; this is the default if standard output is not a terminal.",
    };
    private readonly Option<bool> _json = new("--json") { Description = "Print JSON, once." };

    public TopCommand(CommonOptions common)
        : base(
            "top",
            "Show the tasks of a running worker live: lag, rates, time per step, errors by class, dead letters."
        )
    {
        Add(_url);
        Add(_once);
        Add(_json);
        common.AddWorkerTo(this, _url);
    }

    /// <inheritdoc/>
    public override async Task<int> RunAsync(CommandRun run, CancellationToken cancellationToken)
    {
        using var client = new WorkerClient(
            await RunningWorker.RequireAsync(run, _url, cancellationToken).ConfigureAwait(false)
        );
        var text = await client.GetAsync("/etl/tasks", cancellationToken).ConfigureAwait(false);
        if (run.Parsed.GetValue(_json))
        {
            await run.Console.Out.WriteLineAsync(text.AsMemory(), cancellationToken).ConfigureAwait(false);
            return ExitCodes.Success;
        }
        var tasks = WorkerClient.Read<List<TaskView>>(text);
        var screen = SummaryTable.ConsoleFor(run.Console.Out, run.Console.IsOutputTerminal);
        if (run.Parsed.GetValue(_once) || !run.Console.IsOutputTerminal)
        {
            screen.Write(TopTable.Draw(tasks, null, screen.Profile.Width));
            return ExitCodes.Success;
        }
        await screen
            .Live(TopTable.Draw(tasks, null, screen.Profile.Width))
            .StartAsync(async context =>
            {
                using var timer = new PeriodicTimer(Redraw, run.Time);
                try
                {
                    while (await timer.WaitForNextTickAsync(cancellationToken).ConfigureAwait(false))
                    {
                        var now = WorkerClient.Read<List<TaskView>>(
                            await client.GetAsync("/etl/tasks", cancellationToken).ConfigureAwait(false)
                        );
                        context.UpdateTarget(TopTable.Draw(now, tasks, screen.Profile.Width));
                        tasks = now;
                    }
                }
                catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
                {
                    // Interrupting it is its normal end.
                }
            })
            .ConfigureAwait(false);
        return ExitCodes.Success;
    }
}
