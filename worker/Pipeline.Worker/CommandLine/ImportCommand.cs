using System.CommandLine;
using System.Globalization;
using Pipeline.Database;
using Pipeline.Database.Transfer;
using Pipeline.Documents.Transfer;
using Pipeline.Worker.Hosting;
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

    public ImportCommand(CommonOptions common)
        : base("import", "Import documents from files; creates the database if it does not exist.")
    {
        AddPlain(_files);
        Add(_onError);
        common.AddDatabaseTo(this);
        _onError.Validators.Add(result =>
        {
            if (result.Tokens.Count > 0 && result.Tokens[0].Value is not ("abort" or "skip"))
                result.AddError($"--on-error '{result.Tokens[0].Value}' is neither abort nor skip");
        });
    }

    /// <inheritdoc/>
    public override async Task<int> RunAsync(CommandRun run, CancellationToken cancellationToken)
    {
        var files = run.Parsed.GetValue(_files)!;
        var source = DataSource.Find(run.Settings);
        InitialImport.CheckFiles(files);
        var opened = OpenedDatabase.OpenOrCreate(source, run.Loggers, run.Time);
        await using var closing = opened.ConfigureAwait(false);
        var started = run.Time.GetTimestamp();
        var options = new ImportOptions
        {
            OnError = run.Parsed.GetValue(_onError) == "skip" ? ImportErrorHandling.Skip : ImportErrorHandling.Abort,
        };
        var failed = false;
        foreach (var dump in files.Where(RavenDumpImport.IsDump))
            failed |= await ImportDumpAsync(run, opened.Database, dump, cancellationToken).ConfigureAwait(false);
        files = [.. files.Where(f => !RavenDumpImport.IsDump(f))];
        if (files.Length == 0)
            return failed ? ExitCodes.Failed : ExitCodes.Success;
        var line = new DocumentLine(
            run.Console,
            run.Time,
            "importing",
            run.Console.IsErrorTerminal ? await CountLinesAsync(files, cancellationToken).ConfigureAwait(false) : 0
        );
        ImportReport report;
        try
        {
            report = await JsonLinesImport
                .ImportAsync(opened.Database, files, options with { Progress = line }, cancellationToken)
                .ConfigureAwait(false);
        }
        finally
        {
            line.Clear();
        }

        foreach (var error in report.Errors)
            await run.Console.Error.WriteLineAsync($"pipeline: {error}").ConfigureAwait(false);
        var seconds = run.Time.GetElapsedTime(started).TotalSeconds;
        await run
            .Console.Out.WriteLineAsync(
                string.Create(
                    CultureInfo.InvariantCulture,
                    $"imported {report.Imported:N0} documents into {source.Description} in {seconds:0.00} s"
                )
                    + (
                        report.Failed == 0
                            ? ""
                            : string.Create(
                                CultureInfo.InvariantCulture,
                                $"; {report.Failed:N0} lines are not documents and were left out"
                            )
                    )
            )
            .ConfigureAwait(false);
        return report.Failed == 0 && !failed ? ExitCodes.Success : ExitCodes.Failed;
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

    /// <summary>Imports a dump. True if a part that should be imported could not be.</summary>
    private static async Task<bool> ImportDumpAsync(
        CommandRun run,
        DocumentDatabase database,
        string dump,
        CancellationToken cancellationToken
    )
    {
        var report = await RavenDumpImport.ImportAsync(database, dump, cancellationToken).ConfigureAwait(false);
        foreach (var problem in report.Problems)
            await run.Console.Error.WriteLineAsync($"pipeline: {dump}: {problem}").ConfigureAwait(false);
        var leftOut =
            report.LeftOut.Count == 0
                ? ""
                : "; left out: "
                    + string.Join(
                        ", ",
                        report.LeftOut.Select(l => string.Create(CultureInfo.InvariantCulture, $"{l.Value:N0} {l.Key}"))
                    );
        await run
            .Console.Out.WriteLineAsync(
                string.Create(
                    CultureInfo.InvariantCulture,
                    $"imported {report.Documents:N0} documents, {report.Indexes:N0} indexes and {report.Identities:N0} identities of {dump}{leftOut}"
                )
            )
            .ConfigureAwait(false);
        return report.Failed > 0;
    }
}
