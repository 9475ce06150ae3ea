using System.CommandLine;
using Microsoft.Extensions.Logging;
using Pipeline.Configuration;
using Pipeline.Hosting;
using Pipeline.Hosting.Metrics;
using Pipeline.Worker.Services;
using Pipeline.Worker.Terminal;
using Pipeline.Yaml;

namespace Pipeline.Worker.CommandLine;

/// <summary><c>pipeline run</c>: runs the tasks of a configuration.</summary>
internal sealed class RunCommand : WorkerCommand
{
    // What a timer can wait for.
    private static readonly TimeSpan LongestTimeout = TimeSpan.FromDays(49);

    private readonly Option<bool> _once = new("--once")
    {
        Description =
            "End when every task has sent everything that the database holds after the import, including retried dead letters and replays, and print a summary. Exit code 0 only if nothing failed.",
    };

    private readonly Option<bool> _json = new("--json") { Description = "With --once: print the summary as JSON." };

    private readonly Option<string?> _timeout = new("--timeout")
    {
        Description =
            "With --once: end after this time (30s, 5m, 1h30m) even if a target is unavailable, with exit code 1. The time of the import does not count.",
        HelpName = "DURATION",
    };

    private readonly Option<bool> _serve = new("--serve")
    {
        Description =
            "With --once: also listen (databases, health, metrics). Without --once the worker always listens.",
    };

    private readonly IServiceManager? _manager;

    /// <summary>Makes the command.</summary>
    /// <param name="common">The options that commands share.</param>
    /// <param name="manager">What started this process; <see langword="null"/> to look for systemd.</param>
    public RunCommand(CommonOptions common, IServiceManager? manager)
        : base(
            "run",
            "Run the tasks until Ctrl+C or SIGTERM, and serve the database to RavenDB's clients, with /health/live, /health/ready and /metrics."
        )
    {
        _manager = manager;
        Add(_once);
        Add(_json);
        Add(_timeout);
        Add(_serve);
        common.AddDatabaseTo(this);
        Validators.Add(result =>
        {
            if (result.GetValue(_json) && !result.GetValue(_once))
            {
                result.AddError("--json prints the summary of --once, which is missing");
            }
            else if (result.GetValue(_timeout) is { } text && ReadTimeout(text) is null)
            {
                result.AddError(
                    $"--timeout is '{text}'; a duration such as 30s, 5m or 1h30m is needed, over 0 and at most {Quantities.FormatDuration(LongestTimeout)}"
                );
            }
            else if (result.GetValue(_timeout) is not null && !result.GetValue(_once))
            {
                result.AddError("--timeout limits a run with --once, which is missing");
            }
        });
    }

    /// <inheritdoc/>
    public override LogLevel UsualLogLevel => LogLevel.Information;

    /// <inheritdoc/>
    public override string? WhenStopped(ParseResult parsed) =>
        "the next start resumes from the last confirmed position";

    /// <inheritdoc/>
    public override async Task<int> RunAsync(CommandRun run, CancellationToken cancellationToken)
    {
        var once = run.Parsed.GetValue(_once);
        var source = DataSource.Find(run.Settings with { RunsCommands = true });
        if (source.Configuration is null)
            OpenedDatabase.CheckExists(source);
        // Outlives the worker, so that the log lines of its start and end are exported too.
        using var export = OtlpExport.StartIfConfigured(run.Loggers, run.Settings.LogLevel);
        var options = new WorkerOptions
        {
            Loggers = run.Loggers,
            Time = run.Time,
            Listens = !once || run.Parsed.GetValue(_serve),
        };
        var logger = run.Loggers.CreateLogger("Pipeline.Worker");
        using var systemd = SystemdManager.Find(
            Environment.GetEnvironmentVariable,
            Environment.ProcessId,
            run.Time,
            logger
        );
        var manager = _manager ?? systemd;
        while (true)
        {
            try
            {
                return await RunAsync(run, source.ToConfiguration(), options, manager, logger, cancellationToken)
                    .ConfigureAwait(false);
            }
            catch (NodeRestartException e)
                when (manager is not { StartsAgain: true } && !cancellationToken.IsCancellationRequested)
            {
                // systemd starts the process again itself, and does not expect signs of life while it starts.
                WorkerLog.StartsAgain(logger, e.Message);
            }
        }
    }

    private async Task<int> RunAsync(
        CommandRun run,
        PipelineConfiguration configuration,
        WorkerOptions options,
        IServiceManager? manager,
        ILogger logger,
        CancellationToken cancellationToken
    )
    {
        var once = run.Parsed.GetValue(_once);
        manager?.Starting();
        PipelineWorker worker;
        try
        {
            worker = await PipelineWorker.OpenAsync(configuration, options, cancellationToken).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (!once && cancellationToken.IsCancellationRequested)
        {
            // Cancelled during import; the next start resumes it. Without --once that is an orderly end.
            return ExitCodes.Success;
        }

        await using var closing = worker.ConfigureAwait(false);
        manager?.Ready(Describe(worker), () => worker.Database.OpenSnapshot().Dispose());
        using var stopping = cancellationToken.Register(() => manager?.Stopping());
        try
        {
            return once
                ? await RunOnceAsync(run, worker, logger, cancellationToken).ConfigureAwait(false)
                : await RunUntilStoppedAsync(run, worker, logger, cancellationToken).ConfigureAwait(false);
        }
        finally
        {
            // A run may end by itself, or before the signal has come to the registration above.
            manager?.Stopping();
        }
    }

    private static async Task<int> RunUntilStoppedAsync(
        CommandRun run,
        PipelineWorker worker,
        ILogger logger,
        CancellationToken cancellationToken
    )
    {
        if (run.Console.IsErrorTerminal && worker.Address is { } studio)
            run.Console.WriteNotice($"pipeline: Studio is at {studio}");
        await run.Screen.ShowAsync(worker.RunAsync(cancellationToken), worker.GetTasks, logger).ConfigureAwait(false);
        if (run.Console.IsErrorTerminal)
            SummaryTable.Write(worker.Summarize(), run.Console.Error, isTerminal: true);
        return ExitCodes.Success;
    }

    private static string Describe(PipelineWorker worker) =>
        worker.Address is { } address
            ? $"database '{worker.Database.Name}', listening on {address}"
            : $"database '{worker.Database.Name}'";

    /// <summary>The timeout; <see langword="null"/> where the text is none.</summary>
    private static TimeSpan? ReadTimeout(string text) =>
        Quantities.TryParseDuration(text, out var time) && time > TimeSpan.Zero && time <= LongestTimeout ? time : null;

    private async Task<int> RunOnceAsync(
        CommandRun run,
        PipelineWorker worker,
        ILogger logger,
        CancellationToken cancellationToken
    )
    {
        var interrupted = false;
        try
        {
            var timeout = run.Parsed.GetValue(_timeout) is { } text ? ReadTimeout(text) : null;
            await run
                .Screen.ShowAsync(worker.RunOnceAsync(timeout, cancellationToken), worker.GetTasks, logger)
                .ConfigureAwait(false);
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
        return interrupted ? ExitCodes.Interrupted
            : summary.Succeeded ? ExitCodes.Success
            : ExitCodes.Failed;
    }
}
