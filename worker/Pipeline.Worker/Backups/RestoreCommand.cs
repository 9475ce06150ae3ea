using System.CommandLine;
using System.CommandLine.Parsing;
using System.Globalization;
using Pipeline.Backups;
using Pipeline.Backups.Manifests;
using Pipeline.Backups.Restoring;
using Pipeline.Storage;
using Pipeline.Worker.CommandLine;
using Pipeline.Worker.Hosting;

namespace Pipeline.Worker.Backups;

/// <summary><c>pipeline restore</c>: makes a database of a backup, to a position or moment of its increments.</summary>
internal sealed class RestoreCommand : WorkerCommand
{
    private readonly Argument<string> _backup = new("BACKUP") { Description = "The backup's name, for its newest; or NAME/ID for one of 'pipeline backup list'." };
    private readonly Option<string> _to = new("--to") { Description = "The folder of the new database, in which there is none.", HelpName = "FOLDER", Required = true };
    private readonly Option<long?> _position = new("--position") { Description = "Restore the last commit that goes no further than this position.", HelpName = "N" };
    private readonly Option<DateTimeOffset?> _time = new("--time") { Description = "Restore the last commit up to this moment, such as 2026-03-01T12:00:00Z.", HelpName = "T", CustomParser = ParseTime };
    private readonly Option<int> _destination = new("--destination") { Description = "Which of the configuration's destinations, from 1 on; else the first that can be opened.", HelpName = "N" };
    private readonly BackupSource _source;

    public RestoreCommand(CommonOptions common)
        : base("restore", "Make a database of a backup, verified chunk by chunk and page by page.")
    {
        AddPlain(_backup);
        Add(_to);
        Add(_position);
        Add(_time);
        Add(_destination);
        _source = new BackupSource(this, common);
        Validators.Add(result =>
        {
            if (result.GetResult(_position) is { Implicit: false } && result.GetResult(_time) is { Implicit: false })
                result.AddError("--position and --time are given both; give one of them");
        });
    }

    /// <inheritdoc/>
    public override async Task<int> RunAsync(CommandRun run, CancellationToken cancellationToken)
    {
        var parts = run.Parsed.GetValue(_backup)!.Split('/', 2);
        var definition = _source.Find(run, parts[0], out var configuration)[0];
        var number = run.Parsed.GetValue(_destination);
        if (number > definition.Destinations.Count || number < 0)
            throw new WorkerException($"--destination is {number}; backup '{definition.Name}' has {definition.Destinations.Count}", ExitCodes.Usage);
        if (number > 0)
            definition = definition with { Destinations = [definition.Destinations[number - 1]] };
        var opened = await BackupSource.OpenAsync(run, definition, cancellationToken).ConfigureAwait(false);
        try
        {
            if (opened.Count == 0)
                throw new BackupException($"backup '{definition.Name}': there are no backups at {string.Join(" or ", definition.Destinations.Select(d => d.Create(definition.Name, run.Time).Description))}.");
            var line = new BackupLine(run.Console, run.Time);
            var point = new RestorePoint { Backup = parts.Length > 1 ? parts[1] : null, Position = run.Parsed.GetValue(_position), Time = run.Parsed.GetValue(_time) };
            var target = StorageSettings.Of(configuration) with { Path = Path.GetFullPath(run.Parsed.GetValue(_to)!), LoggerFactory = run.Loggers };
            RestoreReport report;
            try
            {
                report = await new BackupRestorer(opened[0], run.Time).RestoreAsync(point, target, line, cancellationToken).ConfigureAwait(false);
            }
            finally
            {
                line.Clear();
            }
            await run.Console.Out.WriteLineAsync(string.Create(CultureInfo.InvariantCulture,
                $"restored {report.Backups[^1]} to {target.Path}: position {report.Reached.Position}, of {report.Reached.Time.UtcDateTime:yyyy-MM-dd HH:mm:ss}Z, {report.Documents:N0} documents, {BackupText.Size(report.Bytes)} of {report.Backups.Count} backups in {report.Duration.TotalSeconds:0.0} s; indexes are built anew when it is opened")).ConfigureAwait(false);
            return ExitCodes.Success;
        }
        finally
        {
            foreach (var repository in opened)
                await repository.DisposeAsync().ConfigureAwait(false);
        }
    }

    /// <summary>Reads a moment; one without a zone is UTC.</summary>
    internal static DateTimeOffset? ParseTime(ArgumentResult result)
    {
        if (result.Tokens.Count == 1 && DateTimeOffset.TryParse(result.Tokens[0].Value, CultureInfo.InvariantCulture, DateTimeStyles.AssumeUniversal, out var time))
            return time;
        result.AddError($"'{(result.Tokens.Count > 0 ? result.Tokens[0].Value : "")}' is no moment; write it as 2026-03-01T12:00:00Z");
        return null;
    }
}
