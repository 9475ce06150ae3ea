using System.CommandLine;
using System.Text.Json;
using Pipeline.Hosting;
using Pipeline.Worker.Terminal;
using Spectre.Console;

namespace Pipeline.Worker.CommandLine;

/// <summary>
/// <c>pipeline io-stats</c>: the file I/O of a running worker's storage, and its open readers. On a terminal the output
/// is redrawn every second.
/// </summary>
internal sealed class IoStatsCommand : WorkerCommand
{
    private static readonly TimeSpan Redraw = TimeSpan.FromSeconds(1);
    private readonly Option<bool> _json = new("--json")
    {
        Description = "Print it as JSON, with histograms and the recent operations.",
    };
    private readonly Option<bool> _once = new("--once") { Description = "Print once, even on a terminal." };
    private readonly Option<string?> _url = WorkerClient.FoundOption();

    public IoStatsCommand(CommonOptions common)
        : base(
            "io-stats",
            "Show size, duration and throughput of a running worker's journal writes, flushes and syncs, and its readers; on a terminal, every second. With --data or --config, if no process has the database open: those of opening and flushing it."
        )
    {
        Add(_url);
        Add(_once);
        Add(_json);
        common.AddDatabaseTo(this);
        common.RefuseWith(this, _url);
    }

    /// <inheritdoc/>
    public override async Task<int> RunAsync(CommandRun run, CancellationToken cancellationToken)
    {
        var json = run.Parsed.GetValue(_json);
        var url =
            run.Settings.Config is null && run.Settings.Data is null
                ? await RunningWorker.RequireAsync(run, _url, cancellationToken).ConfigureAwait(false)
                : await RunningWorker.FindAsync(run, _url, cancellationToken).ConfigureAwait(false);
        if (url is null)
        {
            Print(run.Console, await OpenAsync(run).ConfigureAwait(false), json);
            return ExitCodes.Success;
        }
        using var client = new WorkerClient(url);
        var first = await client.GetAsync("/storage", cancellationToken).ConfigureAwait(false);
        if (json || run.Parsed.GetValue(_once) || !run.Console.IsOutputTerminal)
            Print(run.Console, first, json);
        else
            await ShowAsync(run, client, first, cancellationToken).ConfigureAwait(false);
        return ExitCodes.Success;
    }

    private static void Print(WorkerConsole console, string text, bool json)
    {
        if (json)
        {
            console.Out.WriteLine(text);
        }
        else
        {
            SummaryTable
                .ConsoleFor(console.Out, console.IsOutputTerminal)
                .Write(StorageTable.Draw(WorkerClient.Read<StorageView>(text)));
        }
    }

    /// <summary>Redraws the output until it is interrupted, which is its normal end.</summary>
    private static async Task ShowAsync(
        CommandRun run,
        WorkerClient client,
        string first,
        CancellationToken cancellationToken
    )
    {
        var ansi = SummaryTable.ConsoleFor(run.Console.Out, isTerminal: true);
        await ansi.Live(StorageTable.Draw(WorkerClient.Read<StorageView>(first)))
            .StartAsync(async context =>
            {
                using var timer = new PeriodicTimer(Redraw, run.Time);
                try
                {
                    while (true)
                    {
                        context.Refresh();
                        await timer.WaitForNextTickAsync(cancellationToken).ConfigureAwait(false);
                        context.UpdateTarget(
                            StorageTable.Draw(
                                WorkerClient.Read<StorageView>(
                                    await client.GetAsync("/storage", cancellationToken).ConfigureAwait(false)
                                )
                            )
                        );
                    }
                }
                catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
                {
                    // The last output stays on the screen.
                }
            })
            .ConfigureAwait(false);
    }

    private static async Task<string> OpenAsync(CommandRun run)
    {
        var opened = OpenedDatabase.OpenExisting(DataSource.Find(run.Settings), run.Loggers, run.Time);
        await using var closing = opened.ConfigureAwait(false);
        opened.Database.Storage.Flush();
        return JsonSerializer.Serialize(StorageView.Of(opened.Database.Storage), JsonForms.Indented);
    }
}
