using System.CommandLine;
using System.Globalization;
using System.Text.Json;
using Pipeline.Database.Transfer;
using Pipeline.Documents.Transfer;
using Pipeline.Hosting;
using Pipeline.Hosting.Transfer;
using Pipeline.Worker.Terminal;

namespace Pipeline.Worker.CommandLine;

/// <summary><c>pipeline import</c>: reads documents from JSON lines files.</summary>
internal sealed class ImportCommand : WorkerCommand
{
    private readonly Argument<string[]> _files = new("FILE")
    {
        Description =
            "Files of one JSON document a line, plain or gzip, with @id and @collection under @metadata; or dumps of RavenDB (.ravendbdump).",
        Arity = ArgumentArity.OneOrMore,
    };

    private readonly Option<string> _onError = new("--on-error")
    {
        Description =
            "What happens to lines that are not documents. abort: nothing of any file is imported. skip: they are reported, and the other lines are imported.",
        HelpName = "abort|skip",
        DefaultValueFactory = _ => "abort",
    };

    private readonly Option<bool> _json = new("--json") { Description = "Print the result as JSON." };
    private readonly Option<string?> _url = WorkerClient.InsteadOption();

    public ImportCommand(CommonOptions common)
        : base("import", "Import documents from files; creates the database if it does not exist.")
    {
        AddPlain(_files);
        Add(_onError);
        Add(_json);
        Add(_url);
        common.AddDatabaseTo(this);
        common.RefuseWith(this, _url);
        _onError.Validators.Add(result =>
        {
            if (result.Tokens.Count > 0 && result.Tokens[0].Value is not ("abort" or "skip"))
                result.AddError($"--on-error '{result.Tokens[0].Value}' is neither abort nor skip");
        });
    }

    /// <inheritdoc/>
    public override string? WhenStopped(ParseResult parsed) =>
        "the documents that were stored stay; the same command imports all again";

    /// <inheritdoc/>
    public override async Task<int> RunAsync(CommandRun run, CancellationToken cancellationToken)
    {
        var files = run.Parsed.GetValue(_files)!;
        var url = await RunningWorker.FindAsync(run, _url, cancellationToken).ConfigureAwait(false);
        InitialImport.CheckFiles(files);
        var started = run.Time.GetTimestamp();
        string[] dumps = [.. files.Where(RavenDumpImport.IsDump)];
        string[] lines = [.. files.Where(f => !RavenDumpImport.IsDump(f))];
        var (place, imported) = url is null
            ? await OpenAsync(run, dumps, lines, cancellationToken).ConfigureAwait(false)
            : await AskAsync(run, url, dumps, lines, cancellationToken).ConfigureAwait(false);
        foreach (var problem in imported.SelectMany(f => f.Problems))
            await run.Console.Error.WriteLineAsync($"pipeline: {problem}").ConfigureAwait(false);
        var seconds = run.Time.GetElapsedTime(started).TotalSeconds;
        if (run.Parsed.GetValue(_json))
        {
            await run
                .Console.Out.WriteLineAsync(
                    JsonSerializer.Serialize(
                        new
                        {
                            documents = imported.Sum(f => f.Documents),
                            failed = imported.Sum(f => f.Failed),
                            seconds,
                            files = imported,
                        },
                        JsonForms.Indented
                    )
                )
                .ConfigureAwait(false);
        }
        else
        {
            await WriteAsync(run, place, imported, seconds).ConfigureAwait(false);
        }

        return imported.Any(f => f.Failed > 0) ? ExitCodes.Failed : ExitCodes.Success;
    }

    private bool Skips(CommandRun run) => run.Parsed.GetValue(_onError) == "skip";

    /// <summary>Imports into a database that this process opens.</summary>
    private async Task<(string Place, IReadOnlyList<ImportedFile> Files)> OpenAsync(
        CommandRun run,
        string[] dumps,
        string[] lines,
        CancellationToken cancellationToken
    )
    {
        var source = DataSource.Find(run.Settings);
        var opened = OpenedDatabase.OpenOrCreate(source, run.Loggers, run.Time);
        await using var closing = opened.ConfigureAwait(false);
        var imported = new List<ImportedFile>();
        foreach (var dump in dumps)
        {
            imported.Add(
                ImportedFile.Of(
                    dump,
                    await RavenDumpImport.ImportAsync(opened.Database, dump, cancellationToken).ConfigureAwait(false)
                )
            );
        }

        if (lines.Length == 0)
            return (source.Description, imported);
        var progress = await LineAsync(run, "importing", lines, cancellationToken).ConfigureAwait(false);
        try
        {
            var options = new ImportOptions
            {
                OnError = Skips(run) ? ImportErrorHandling.Skip : ImportErrorHandling.Abort,
                Progress = progress,
            };
            imported.Add(
                ImportedFile.Of(
                    string.Join(", ", lines),
                    await JsonLinesImport
                        .ImportAsync(opened.Database, lines, options, cancellationToken)
                        .ConfigureAwait(false)
                )
            );
        }
        finally
        {
            progress.Clear();
        }

        return (source.Description, imported);
    }

    /// <summary>Sends the files to a running worker; all lines are checked before the first is stored.</summary>
    private async Task<(string Place, IReadOnlyList<ImportedFile> Files)> AskAsync(
        CommandRun run,
        string url,
        string[] dumps,
        string[] lines,
        CancellationToken cancellationToken
    )
    {
        using var client = new WorkerClient(url);
        var name = await client.DatabaseNameAsync(cancellationToken).ConfigureAwait(false);
        if (!Skips(run))
        {
            var faults = (
                await SendAsync(run, client, "checking", lines, cancellationToken).ConfigureAwait(false)
            ).ToList();
            if (faults.Any(f => f.Failed > 0))
                throw new ImportException(faults.Sum(f => f.Failed), [.. faults.SelectMany(f => f.Errors)]);
        }

        var imported = new List<ImportedFile>();
        imported.AddRange(await SendAsync(run, client, "importing", dumps, cancellationToken).ConfigureAwait(false));
        imported.AddRange(await SendAsync(run, client, "importing", lines, cancellationToken).ConfigureAwait(false));
        return ($"'{name}' ({url})", imported);
    }

    private static async Task<IReadOnlyList<ImportedFile>> SendAsync(
        CommandRun run,
        WorkerClient client,
        string stage,
        string[] files,
        CancellationToken cancellationToken
    )
    {
        var sent = new List<ImportedFile>();
        foreach (var file in files)
        {
            var progress = await LineAsync(run, stage, [file], cancellationToken).ConfigureAwait(false);
            try
            {
                sent.Add(
                    await RemoteTransfer
                        .ImportAsync(client, file, stage == "checking", progress, cancellationToken)
                        .ConfigureAwait(false)
                );
            }
            finally
            {
                progress.Clear();
            }
        }

        return sent;
    }

    private static async Task<DocumentLine> LineAsync(
        CommandRun run,
        string stage,
        string[] files,
        CancellationToken cancellationToken
    ) =>
        new(
            run.Console,
            run.Time,
            stage,
            run.Console.IsErrorTerminal ? await CountLinesAsync(files, cancellationToken).ConfigureAwait(false) : 0
        );

    private static async Task WriteAsync(
        CommandRun run,
        string place,
        IReadOnlyList<ImportedFile> imported,
        double seconds
    )
    {
        foreach (var dump in imported.Where(f => RavenDumpImport.IsDump(f.File)))
        {
            var leftOut =
                dump.LeftOut.Count == 0
                    ? ""
                    : "; left out: "
                        + string.Join(
                            ", ",
                            dump.LeftOut.Select(l =>
                                string.Create(CultureInfo.InvariantCulture, $"{l.Value:N0} {l.Key}")
                            )
                        );
            await run
                .Console.Out.WriteLineAsync(
                    string.Create(
                        CultureInfo.InvariantCulture,
                        $"imported {dump.Documents:N0} documents, {dump.Indexes:N0} indexes and {dump.Identities:N0} identities of {dump.File}{leftOut}"
                    )
                )
                .ConfigureAwait(false);
        }

        var lines = imported.Where(f => !RavenDumpImport.IsDump(f.File)).ToList();
        if (lines.Count == 0)
            return;
        var failed = lines.Sum(f => f.Failed);
        await run
            .Console.Out.WriteLineAsync(
                string.Create(
                    CultureInfo.InvariantCulture,
                    $"imported {lines.Sum(f => f.Documents):N0} documents into {place} in {seconds:0.00} s"
                )
                    + (
                        failed == 0
                            ? ""
                            : string.Create(
                                CultureInfo.InvariantCulture,
                                $"; {failed:N0} lines are not documents and were left out"
                            )
                    )
            )
            .ConfigureAwait(false);
    }

    /// <summary>The lines of all files; 0 if one is compressed, because counting would decompress it twice.</summary>
    private static async Task<long> CountLinesAsync(IEnumerable<string> files, CancellationToken cancellationToken)
    {
        long lines = 0;
        var buffer = new byte[1 << 18];
        foreach (var path in files)
        {
            if (path.EndsWith(".gz", StringComparison.OrdinalIgnoreCase))
                return 0;
            var file = File.OpenRead(path);
            await using var closing = file.ConfigureAwait(false);
            for (int read; (read = await file.ReadAsync(buffer, cancellationToken).ConfigureAwait(false)) > 0; )
                lines += buffer.AsSpan(0, read).Count((byte)'\n');
        }

        return lines;
    }
}
