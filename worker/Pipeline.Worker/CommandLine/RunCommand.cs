using System.CommandLine;
using Microsoft.Extensions.Logging;
using Pipeline.Worker.Hosting;
using Pipeline.Worker.Metrics;
using Pipeline.Worker.Terminal;

namespace Pipeline.Worker.CommandLine;

/// <summary><c>pipeline run</c>: runs the tasks of a configuration.</summary>
internal sealed class RunCommand : WorkerCommand
{
    private readonly Option<bool> _once = new("--once")
    {
        Description = "End when every task has sent what the database holds after the import, and print a summary; exit code 0 only if nothing failed.",
    };

    private readonly Option<bool> _json = new("--json") { Description = "With --once: print the summary as JSON." };

    private readonly Option<bool> _serve = new("--serve")
    {
        Description = "With --once: listen (databases, health, metrics) meanwhile. Without --once that is always so.",
    };

    public RunCommand(CommonOptions common)
        : base("run", "Run the tasks until Ctrl+C or SIGTERM, and serve the database to RavenDB's clients; /health/live, /health/ready and /metrics answer too.")
    {
        Add(_once);
        Add(_json);
        Add(_serve);
        common.AddDatabaseTo(this);
        Validators.Add(result =>
        {
            if (result.GetValue(_json) && !result.GetValue(_once))
                result.AddError("--json prints the summary of --once, which is missing");
        });
    }

    /// <inheritdoc/>
    public override LogLevel UsualLogLevel => LogLevel.Information;

    /// <inheritdoc/>
    public override async Task<int> RunAsync(CommandRun run, CancellationToken cancellationToken)
    {
        var once = run.Parsed.GetValue(_once);
        var source = DataSource.Find(run.Settings);
        if (source.Configuration is null)
            OpenedDatabase.CheckExists(source);
        var options = new WorkerOptions { Loggers = run.Loggers, Time = run.Time, Listens = !once || run.Parsed.GetValue(_serve) };
        PipelineWorker worker;
        try
        {
            worker = await PipelineWorker.OpenAsync(source.ToConfiguration(), options, cancellationToken).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (!once && cancellationToken.IsCancellationRequested)
        {
            // Stopped while it imported, which the next start goes on with: an orderly end, as any other of a run without --once.
            return ExitCodes.Success;
        }

        await using var closing = worker.ConfigureAwait(false);
        using var export = OtlpExport.StartIfConfigured();

        var logger = run.Loggers.CreateLogger("Pipeline.Worker");
        if (once)
            return await RunOnceAsync(run, worker, logger, cancellationToken).ConfigureAwait(false);
        await run.Screen.ShowAsync(worker.RunAsync(cancellationToken), worker.GetTasks, logger).ConfigureAwait(false);
        if (run.Console.IsErrorTerminal)
            SummaryTable.Write(worker.Summarize(), run.Console.Error, isTerminal: true);
        return ExitCodes.Success;
    }

    private async Task<int> RunOnceAsync(CommandRun run, PipelineWorker worker, ILogger logger, CancellationToken cancellationToken)
    {
        var interrupted = false;
        try
        {
            await run.Screen.ShowAsync(worker.RunOnceAsync(cancellationToken), worker.GetTasks, logger).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            interrupted = true;
        }
        var summary = worker.Summarize();
        if (run.Parsed.GetValue(_json))
            await run.Console.Out.WriteLineAsync(SummaryTable.ToJson(summary)).ConfigureAwait(false);
        else
            SummaryTable.Write(summary, run.Console.Out, run.Console.IsOutputTerminal);
        return interrupted ? ExitCodes.Interrupted : summary.Succeeded ? ExitCodes.Success : ExitCodes.Failed;
    }
}
