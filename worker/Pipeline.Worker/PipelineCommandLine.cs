using System.CommandLine;
using System.CommandLine.Completions;
using System.CommandLine.Help;
using Microsoft.Extensions.Logging;
using Pipeline.Runner.Logging;
using Pipeline.Worker.Backups;
using Pipeline.Worker.CommandLine;
using Pipeline.Worker.Services;
using Pipeline.Worker.Snmp;
using Pipeline.Worker.Terminal;

namespace Pipeline.Worker;

/// <summary>
/// The <c>pipeline</c> command line: parses, runs, and turns every error into one line and an exit code.
/// </summary>
internal sealed class PipelineCommandLine
{
    private readonly WorkerConsole _console;
    private readonly TimeProvider _time;
    private readonly IServiceManager? _manager;
    private readonly CommonOptions _common = new();
    private readonly RootCommand _root;
    private readonly List<CommandGroup> _groups = [];

    /// <summary>Makes the command tree.</summary>
    /// <param name="console">Where commands write.</param>
    /// <param name="time">The clock.</param>
    /// <param name="machine">What <c>doctor</c> looks at; <see langword="null"/> for this machine.</param>
    /// <param name="manager">The service manager that started this process; <see langword="null"/> to look for systemd.</param>
    public PipelineCommandLine(
        WorkerConsole console,
        TimeProvider time,
        Diagnosis.IMachine? machine = null,
        IServiceManager? manager = null
    )
    {
        _console = console;
        _time = time;
        _manager = manager;
        _root = new RootCommand(
            "Stores JSON documents and sends their changes as messages to Kafka, RabbitMQ, Azure queues and files.\n"
                + "Exit codes: 0 done; 1 work failed; 2 nothing was started because the command line, configuration or data folder is wrong; 130 interrupted."
        );
        _root.Add(_common.LogLevel);
        _root.Add(_common.LogFormat);
        _root.Add(_common.Verbose);
        AddRunning();
        AddReading();
        AddFollowing();
        AddBackups();
        AddCare(machine);
        Begin("Other");
        Add(new SchemaCommand());
        Add(new CompletionCommand());
        var help = _root.Options.OfType<HelpOption>().Single();
        help.Action = new RootHelp(_root, (HelpAction)help.Action!, _groups);
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
        var asks = _root.Directives.OfType<SuggestDirective>().Any(d => parsed.GetResult(d) is not null);
        if (asks || parsed.Action is RootHelp || parsed.Action?.GetType().DeclaringType == typeof(VersionOption))
            return await parsed.InvokeAsync(settings, cancellationToken).ConfigureAwait(false);
        if (parsed.CommandResult.Command == _root && parsed.UnmatchedTokens.Count == 0)
        {
            await _root.Parse("--help").InvokeAsync(settings, cancellationToken).ConfigureAwait(false);
            return ExitCodes.Usage;
        }
        if (FindFault(parsed) is { } fault)
        {
            _console.WriteError(LogLevel.Error, Printable.Of(fault));
            return ExitCodes.Usage;
        }
        try
        {
            return await parsed.InvokeAsync(settings, cancellationToken).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            if (WhenStopped(parsed) is { } left)
                _console.WriteNotice("pipeline: interrupted; " + Printable.Of(left));
            return ExitCodes.Interrupted;
        }
#pragma warning disable CA1031 // The outermost frame: each error ends as a line for people and an exit code.
        catch (Exception e)
#pragma warning restore CA1031
        {
            var report = ErrorReport.Of(e, parsed.CommandResult.Command.Options.Any(o => o.Name == "--url"));
            foreach (var line in report.Lines)
                _console.WriteError(LogLevel.Error, "pipeline: " + Printable.Of(line));
            if (parsed.GetValue(_common.Verbose) && _console.NoticeFormat is null)
                await _console.Error.WriteLineAsync(e.ToString()).ConfigureAwait(false);
            return report.ExitCode;
        }
    }

    /// <summary>What an interrupted run of a command line leaves behind, as a clause; null if it leaves nothing.</summary>
    public string? WhenStopped(string[] arguments) => WhenStopped(_root.Parse(arguments));

    private static string? WhenStopped(ParseResult parsed) =>
        (parsed.CommandResult.Command as WorkerCommand)?.WhenStopped(parsed);

    /// <summary>Returns the fault of a command line without running it; null if it can be run.</summary>
    public string? FindFault(string[] arguments) => FindFault(_root.Parse(arguments));

    private string? FindFault(ParseResult parsed) =>
        parsed.Errors.Count > 0 || parsed.UnmatchedTokens.Count > 0 ? UsageError.Describe(parsed, _root) : null;

    private void AddRunning()
    {
        Begin("Tasks");
        Add(new RunCommand(_common, _manager));
        Add(new LintCommand(_common));
        Add(new TestCommand(_common));
        Add(new PlanCommand(_common));
        Add(new ApplyCommand(_common));
        Add(new TopCommand(_common));
        Add(new ReplayCommand(_common));
        Add("etl", "Manage ETL tasks, also those of a running worker: resume.", EtlCommands.All(_common));
        Add(
            "deadletters",
            "Manage dead letters, the messages and documents that tasks could not send: list, show, retry, edit, drop.",
            DeadLetterCommands.All(_common)
        );
    }

    private void AddReading()
    {
        Begin("Documents");
        Add(new ImportCommand(_common));
        Add(new ExportCommand(_common));
        Add(new GetCommand(_common));
        Add(new RevisionsCommand(_common));
        Add(new QueryCommand(_common));
        Add(new IndexesCommand(_common));
        Add("index", "Manage one index: errors, reset, delete.", IndexCommands.All(_common));
    }

    private void AddFollowing()
    {
        Begin("Subscriptions");
        Add(new SubscribeCommand(_common));
        Add(new SubscriptionsCommand(_common));
        Add(
            "subscription",
            "Manage subscriptions, also those of a running worker: try, pause, resume, move, retry, delete.",
            SubscriptionCommands.All(_common)
        );
        Add(
            "consumers",
            "The consumers of changes, and the data kept for each: list, remove.",
            ConsumerCommands.All(_common)
        );
    }

    private void AddBackups()
    {
        Begin("Backups");
        Add("backup", "Backups: run, list, verify, drill, retention, cancel, status.", BackupCommands.All(_common));
        Add(new RestoreCommand(_common));
    }

    private void AddCare(Diagnosis.IMachine? machine)
    {
        Begin("Health and storage");
        Add(
            "cluster",
            "The nodes of a cluster and its log: status, handover, verify, refill, remove, end, begin.",
            ClusterCommands.All(_common)
        );
        Add(new DoctorCommand(_common, machine));
        Add(new HealthCommand(_common));
        Add(new SnmpCommand(_common));
        Add(new StatsCommand(_common));
        Add(new CheckCommand(_common));
        Add(new ScrubCommand(_common));
        Add(new SalvageCommand(_common));
        Add(new CompactCommand(_common));
        Add(new RekeyCommand(_common));
        Add(new IoStatsCommand(_common));
    }

    /// <summary>The commands that are added next are for one purpose.</summary>
    private void Begin(string title) => _groups.Add(new CommandGroup(title, []));

    private void Add(string name, string description, IEnumerable<WorkerCommand> commands)
    {
        var parent = new Command(name, description);
        foreach (var command in commands)
            Add(command, parent);
        AddTo(_root, parent);
    }

    private void AddTo(Command parent, Command command)
    {
        parent.Add(command);
        if (parent == _root)
            _groups[^1].Commands.Add(command);
    }

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

                // A person at a terminal sees a repeated warning once; a file keeps each.
                Action<LogLevel, string> write =
                    _console.IsErrorTerminal && !asJson && !settings.Verbose
                        ? new RepeatedLines(screen.WriteLog, _time).Write
                        : screen.WriteLog;
                using var lines = new LineLoggerProvider(write, _time, settings.LogLevel, settings.Verbose, asJson);
                using var loggers = new LoggerFactory([lines], WorkerLogging.Filter(settings.LogLevel));
                // Only a run has a start that takes time; every other command counts as ready at once.
                if (command is not RunCommand)
                    _manager?.Ready(command.Name, static () => { });
                return await command
                    .RunAsync(new CommandRun(parsed, settings, _console, screen, loggers, _time), cancellationToken)
                    .ConfigureAwait(false);
            }
        );
        AddTo(parent ?? _root, command);
    }
}
