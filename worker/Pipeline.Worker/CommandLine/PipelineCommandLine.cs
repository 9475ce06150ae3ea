using System.CommandLine;
using System.CommandLine.Help;
using Microsoft.Extensions.Logging;
using Pipeline.Worker.Backups;
using Pipeline.Worker.Terminal;

namespace Pipeline.Worker.CommandLine;

/// <summary>
/// The <c>pipeline</c> command line: parses, runs, and turns every error into one line and an exit code.
/// </summary>
internal sealed class PipelineCommandLine
{
    private readonly WorkerConsole _console;
    private readonly TimeProvider _time;
    private readonly CommonOptions _common = new();
    private readonly RootCommand _root;

    /// <summary>Makes the command tree.</summary>
    public PipelineCommandLine(WorkerConsole console, TimeProvider time, Diagnosis.IMachine? machine = null)
    {
        _console = console;
        _time = time;
        _root = new RootCommand(
            "Stores JSON documents and sends their changes as messages to Kafka, RabbitMQ, Azure queues and files.\n"
                + "Exit codes: 0 done; 1 work failed; 2 nothing was started because the command line, configuration or data folder is wrong; 130 interrupted."
        );
        _root.Add(_common.LogLevel);
        _root.Add(_common.LogFormat);
        _root.Add(_common.Verbose);
        Add(new RunCommand(_common));
        Add(new LintCommand(_common));
        Add(new DoctorCommand(_common, machine));
        Add(new SchemaCommand());
        Add(new TestCommand(_common));
        Add(new PlanCommand(_common));
        Add(new ApplyCommand());
        Add(new ReplayCommand(_common));
        var etl = new Command("etl", "Manage ETL tasks, also those of a running worker: resume.");
        foreach (var command in EtlCommands.All(_common))
            Add(command, etl);
        _root.Add(etl);
        Add(new TopCommand());
        Add(new ImportCommand(_common));
        Add(new GetCommand(_common));
        Add(new RevisionsCommand(_common));
        Add(new ExportCommand(_common));
        Add(new StatsCommand(_common));
        Add(new SubscribeCommand(_common));
        Add(new SubscriptionsCommand(_common));
        var subscription = new Command(
            "subscription",
            "Manage subscriptions, also those of a running worker: try, pause, resume, move, retry, delete."
        );
        foreach (var command in SubscriptionCommands.All(_common))
            Add(command, subscription);
        _root.Add(subscription);
        var consumers = new Command("consumers", "The consumers of changes, and the data kept for each: list, remove.");
        foreach (var command in ConsumerCommands.All(_common))
            Add(command, consumers);
        _root.Add(consumers);
        Add(new QueryCommand(_common));
        Add(new IndexesCommand(_common));
        var index = new Command("index", "Manage one index: errors, reset, delete.");
        foreach (var command in IndexCommands.All(_common))
            Add(command, index);
        _root.Add(index);
        var backup = new Command("backup", "Backups: run, list, verify, drill, retention, cancel, status.");
        foreach (var command in BackupCommands.All(_common))
            Add(command, backup);
        _root.Add(backup);
        Add(new RestoreCommand(_common));
        var letters = new Command(
            "deadletters",
            "Manage dead letters, the messages and documents that tasks could not send: list, show, retry, edit, drop."
        );
        foreach (var command in DeadLetterCommands.All(_common))
            Add(command, letters);
        _root.Add(letters);
        Add(new RekeyCommand(_common));
        Add(new HealthCommand());
        Add(new CheckCommand(_common));
        Add(new SalvageCommand(_common));
        Add(new ScrubCommand());
        Add(new CompactCommand(_common));
        Add(new IoStatsCommand(_common));
    }

    /// <summary>The command tree, from which the reference is made.</summary>
    public RootCommand Root => _root;

    /// <summary>Runs one command line.</summary>
    /// <returns>One of <see cref="ExitCodes"/>.</returns>
    public async Task<int> InvokeAsync(string[] arguments, CancellationToken cancellationToken)
    {
        var parsed = _root.Parse(arguments);
        var settings = new InvocationConfiguration
        {
            Output = _console.Out,
            Error = _console.Error,
            EnableDefaultExceptionHandler = false,
            ProcessTerminationTimeout = null,
        };
        if (parsed.Action is HelpAction || parsed.Action?.GetType().DeclaringType == typeof(VersionOption))
            return await parsed.InvokeAsync(settings, cancellationToken).ConfigureAwait(false);
        if (parsed.CommandResult.Command == _root && parsed.UnmatchedTokens.Count == 0)
        {
            await _root.Parse("--help").InvokeAsync(settings, cancellationToken).ConfigureAwait(false);
            return ExitCodes.Usage;
        }
        if (FindFault(parsed) is { } fault)
        {
            await _console.Error.WriteLineAsync(Printable.Of(fault)).ConfigureAwait(false);
            return ExitCodes.Usage;
        }
        try
        {
            return await parsed.InvokeAsync(settings, cancellationToken).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            return ExitCodes.Interrupted;
        }
#pragma warning disable CA1031 // The outermost frame: each error ends as a line for people and an exit code.
        catch (Exception e)
#pragma warning restore CA1031
        {
            var report = ErrorReport.Of(e);
            foreach (var line in report.Lines)
                _console.WriteError(LogLevel.Error, "pipeline: " + Printable.Of(line));
            if (parsed.GetValue(_common.Verbose) && _console.NoticeFormat is null)
                await _console.Error.WriteLineAsync(e.ToString()).ConfigureAwait(false);
            return report.ExitCode;
        }
    }

    /// <summary>Returns the fault of a command line without running it; null if it can be run.</summary>
    public string? FindFault(string[] arguments) => FindFault(_root.Parse(arguments));

    private string? FindFault(ParseResult parsed) =>
        parsed.Errors.Count > 0 || parsed.UnmatchedTokens.Count > 0 ? UsageError.Describe(parsed, _root) : null;

    private void Add(WorkerCommand command, Command? parent = null)
    {
        ValueCheck.PutBefore(command);
        command.SetAction(
            async (parsed, cancellationToken) =>
            {
                var settings = _common.Read(parsed, command.UsualLogLevel);
                var screen = new RunScreen(_console, _time);
                var asJson = parsed.GetValue(_common.LogFormat) == CommonOptions.JsonFormat;
                if (asJson)
                {
                    _console.NoticeFormat = (level, line) =>
                        JsonLogLine.Of(_time.GetUtcNow(), level, "pipeline", default, line, null, null, traces: false);
                }

                using var lines = new LineLoggerProvider(
                    screen.WriteLog,
                    _time,
                    settings.LogLevel,
                    settings.Verbose,
                    asJson
                );
                using var loggers = new LoggerFactory([lines], WorkerLogging.Filter(settings.LogLevel));
                return await command
                    .RunAsync(new CommandRun(parsed, settings, _console, screen, loggers, _time), cancellationToken)
                    .ConfigureAwait(false);
            }
        );
        (parent ?? _root).Add(command);
    }
}
