using System.CommandLine;
using System.CommandLine.Parsing;
using System.Globalization;
using Pipeline.Backups;
using Pipeline.Backups.Manifests;
using Pipeline.Backups.Restoring;
using Pipeline.Database;
using Pipeline.Database.Indexes;
using Pipeline.Documents.Transfer;
using Pipeline.Hosting.Backups;
using Pipeline.Runner.Settings;
using Pipeline.Storage;
using Pipeline.Worker.CommandLine;

namespace Pipeline.Worker.Backups;

/// <summary>
/// <c>pipeline restore</c>: restores a backup into a new database, to a position or time of its increments; or extracts
/// one collection or document.
/// </summary>
internal sealed partial class RestoreCommand : WorkerCommand
{
    private readonly Argument<string> _backup = new("BACKUP")
    {
        Description = "The backup: its name for the newest one, or NAME/ID as 'pipeline backup list' shows it.",
    };
    private readonly Option<string?> _to = new("--to")
    {
        Description =
            "The folder of the new database, which must not contain one. With --collection: the file of JSON lines, for 'pipeline import'.",
        HelpName = "FOLDER",
    };
    private readonly Option<long?> _position = new("--position")
    {
        Description = "Restore the last commit at or before this position.",
        HelpName = "N",
    };
    private readonly Option<DateTimeOffset?> _time = new("--time")
    {
        Description = "Restore the last commit at or before this time, such as 2026-03-01T12:00:00Z.",
        HelpName = "T",
        CustomParser = ParseTime,
    };
    private readonly Option<int> _destination = new("--destination")
    {
        Description = "The number of the configured destination, from 1. Default: the first that can be opened.",
        HelpName = "N",
    };
    private readonly Option<string?> _collection = new("--collection")
    {
        Description = "Only this collection, as JSON lines, to --to or standard output.",
        HelpName = "NAME",
    };
    private readonly Option<string?> _document = new("--document")
    {
        Description = "Only this document, to standard output.",
        HelpName = "ID",
    };
    private readonly Option<bool> _preview = new("--preview")
    {
        Description = "Restore nothing; show the changes that a restore would remove from the configured database.",
    };
    private readonly Option<bool> _withoutIndexes = new("--without-indexes")
    {
        Description = "Leave the index definitions out. Otherwise the indexes are rebuilt when the database is opened.",
    };
    private readonly Option<string?> _url = new("--url")
    {
        Description =
            "With --preview: compare with the running worker at this address. Without it, the worker that has the data folder open is found by itself.",
        HelpName = "URL",
    };
    private readonly BackupSource _source;

    public RestoreCommand(CommonOptions common)
        : base(
            "restore",
            "Restore a database from a backup, verified chunk by chunk and page by page, or extract one collection or document."
        )
    {
        AddPlain(_backup);
        foreach (
            var option in (Option[])
                [_to, _position, _time, _destination, _collection, _document, _preview, _withoutIndexes, _url]
        )
        {
            Add(option);
        }

        AddJson("Print the result, or with --preview the changes, as JSON.");
        _source = new BackupSource(this, common);
        Validators.Add(result =>
        {
            if (result.GetResult(_position) is { Implicit: false } && result.GetResult(_time) is { Implicit: false })
                result.AddError("--position and --time cannot be combined; give one of them");
            if (result.GetResult(_url) is { Implicit: false } && !result.GetValue(_preview))
                result.AddError("--url goes with --preview; a restore makes a new database and needs no worker");
            var parts = new[] { (Option)_collection, _document, _preview }
                .Where(o => result.GetResult(o) is { Implicit: false })
                .Select(o => o.Name)
                .ToList();
            if (parts.Count > 1)
                result.AddError($"{parts[0]} and {parts[1]} cannot be combined; give one of them");
            else if (parts.Count == 0 && result.GetResult(_to) is not { Implicit: false })
                result.AddError("--to names the folder of the new database, and is missing");
        });
    }

    /// <inheritdoc/>
    public override string? WhenStopped(ParseResult parsed) =>
        parsed.GetValue(_to) is { } target ? $"'{target}' is not restored; the same command begins again" : null;

    /// <inheritdoc/>
    public override async Task<int> RunAsync(CommandRun run, CancellationToken cancellationToken)
    {
        var parts = run.Parsed.GetValue(_backup)!.Split('/', 2);
        var definition = _source.Find(run, parts[0], out var configuration)[0];
        var number = run.Parsed.GetValue(_destination);
        if (number > definition.Destinations.Count || number < 0)
        {
            throw new WorkerException(
                $"--destination is {number}; backup '{definition.Name}' has {definition.Destinations.Count}",
                ExitCodes.Usage
            );
        }

        if (number > 0)
            definition = definition with { Destinations = [definition.Destinations[number - 1]] };
        var opened = await BackupSource.OpenAsync(run, definition, cancellationToken).ConfigureAwait(false);
        try
        {
            if (opened.Count == 0)
            {
                throw new BackupException(
                    $"backup '{definition.Name}': there are no backups at {string.Join(" or ", definition.Destinations.Select(d => d.Create(definition.Name, run.Time).Description))}."
                );
            }

            var point = new RestorePoint
            {
                Backup = parts.Length > 1 ? parts[1] : null,
                Position = run.Parsed.GetValue(_position),
                Time = run.Parsed.GetValue(_time),
            };
            var storage = StorageSettings.Of(configuration, run.Parsed.GetValue(_to)) with
            {
                LoggerFactory = run.Loggers,
                ScrubInterval = null,
            };
            if (run.Parsed.GetValue(_preview))
            {
                return await PreviewAsync(run, definition.Name, opened[0], point, cancellationToken)
                    .ConfigureAwait(false);
            }
            return run.Parsed.GetValue(_collection) is null && run.Parsed.GetValue(_document) is null
                ? await RestoreAsync(run, opened[0], point, storage, cancellationToken).ConfigureAwait(false)
                : await TakeOutAsync(run, opened[0], point, storage, cancellationToken).ConfigureAwait(false);
        }
        finally
        {
            foreach (var repository in opened)
                await repository.DisposeAsync().ConfigureAwait(false);
        }
    }

    private async Task<int> RestoreAsync(
        CommandRun run,
        BackupRepository repository,
        RestorePoint point,
        StorageOptions storage,
        CancellationToken cancellationToken
    )
    {
        var folder = Path.GetFullPath(run.Parsed.GetValue(_to)!);
        if (await RunningWorker.AtAsync(folder, cancellationToken).ConfigureAwait(false) is { } worker)
        {
            throw new WorkerException(
                $"{folder} is open in the worker at {worker.GetLeftPart(UriPartial.Authority)}, so nothing can be restored into it; restore into a new folder with --to, stop the worker, and name that folder as database.path",
                ExitCodes.Usage
            );
        }

        var report = await RestoreAsync(run, repository, point, storage, folder, cancellationToken)
            .ConfigureAwait(false);
        var indexes = "indexes are rebuilt when it is opened";
        if (run.Parsed.GetValue(_withoutIndexes))
        {
            var database = Open(run, folder, storage);
            await using var closing = database.ConfigureAwait(false);
            foreach (var index in database.Indexes.List())
                await database.Indexes.DeleteAsync(index.Definition.Name, cancellationToken).ConfigureAwait(false);
            indexes = "without indexes";
        }
        await run.PrintAsync(
                new
                {
                    folder,
                    withoutIndexes = run.Parsed.GetValue(_withoutIndexes),
                    report,
                },
                string.Create(
                    CultureInfo.InvariantCulture,
                    $"restored {report.Backups[^1]} to {folder}: position {report.Reached.Position} ({report.Reached.Time.UtcDateTime:yyyy-MM-dd HH:mm:ss}Z); {report.Documents:N0} documents, {BackupText.Size(report.Bytes)} of {report.Backups.Count} backups in {report.Duration.TotalSeconds:0.0} s; {indexes}"
                ),
                cancellationToken
            )
            .ConfigureAwait(false);
        return ExitCodes.Success;
    }

    /// <summary>Restores into a scratch folder and extracts the requested data.</summary>
    private async Task<int> TakeOutAsync(
        CommandRun run,
        BackupRepository repository,
        RestorePoint point,
        StorageOptions storage,
        CancellationToken cancellationToken
    )
    {
        using var scratch = new ScratchStore("restore", storage);
        await RestoreAsync(run, repository, point, scratch.Options, scratch.Folder, cancellationToken)
            .ConfigureAwait(false);
        var database = Open(run, scratch.Folder, scratch.Options);
        await using var closing = database.ConfigureAwait(false);
        using var snapshot = database.OpenSnapshot();
        if (run.Parsed.GetValue(_document) is { } id)
        {
            if (!snapshot.TryGet(id, out var document))
            {
                throw new WorkerException(
                    $"there is no document '{id}' in the backup at position {snapshot.LastPosition}",
                    ExitCodes.Failed
                );
            }

            await run
                .Console.Out.WriteLineAsync(document.ToString().AsMemory(), cancellationToken)
                .ConfigureAwait(false);
            return ExitCodes.Success;
        }
        var collection = run.Parsed.GetValue(_collection)!;
        if (
            !snapshot
                .GetStatistics()
                .Collections.Any(c => string.Equals(c.Name, collection, StringComparison.OrdinalIgnoreCase))
        )
        {
            throw new WorkerException(
                $"there is no collection '{collection}' in the backup; it has: {string.Join(", ", snapshot.GetStatistics().Collections.Select(c => c.Name))}",
                ExitCodes.Failed
            );
        }

        if (run.Parsed.GetValue(_to) is { } file)
        {
            var count = await JsonLinesExport
                .ExportFileAsync(snapshot, file, collection, ct: cancellationToken)
                .ConfigureAwait(false);
            await run.PrintAsync(
                    new
                    {
                        file,
                        documents = count,
                        position = snapshot.LastPosition,
                    },
                    string.Create(
                        CultureInfo.InvariantCulture,
                        $"{count:N0} documents of position {snapshot.LastPosition} to {file}"
                    ),
                    cancellationToken
                )
                .ConfigureAwait(false);
            return ExitCodes.Success;
        }
        await JsonLinesExport
            .ExportAsync(snapshot, run.Console.OutStream, collection, ct: cancellationToken)
            .ConfigureAwait(false);
        await run.Console.OutStream.FlushAsync(cancellationToken).ConfigureAwait(false);
        return ExitCodes.Success;
    }

    private static async Task<RestoreReport> RestoreAsync(
        CommandRun run,
        BackupRepository repository,
        RestorePoint point,
        StorageOptions storage,
        string folder,
        CancellationToken cancellationToken
    )
    {
        var line = new BackupLine(run.Console, run.Time);
        try
        {
            return await new BackupRestorer(repository, run.Time)
                .RestoreAsync(point, storage with { Path = folder }, line, cancellationToken)
                .ConfigureAwait(false);
        }
        finally
        {
            line.Clear();
        }
    }

    private static DocumentDatabase Open(CommandRun run, string folder, StorageOptions storage) =>
        DocumentDatabase.Open(
            new DatabaseOptions
            {
                Name = "restored",
                Path = folder,
                Storage = storage,
                TimeProvider = run.Time,
                LoggerFactory = run.Loggers,
                Indexing = new IndexingOptions { Enabled = false },
            }
        );

    /// <summary>Parses a time; without a zone it is UTC.</summary>
    internal static DateTimeOffset? ParseTime(ArgumentResult result)
    {
        if (
            result.Tokens.Count == 1
            && DateTimeOffset.TryParse(
                result.Tokens[0].Value,
                CultureInfo.InvariantCulture,
                DateTimeStyles.AssumeUniversal,
                out var time
            )
        )
        {
            return time;
        }

        result.AddError(
            $"'{(result.Tokens.Count > 0 ? result.Tokens[0].Value : "")}' is not a time; write it as 2026-03-01T12:00:00Z"
        );
        return null;
    }
}
