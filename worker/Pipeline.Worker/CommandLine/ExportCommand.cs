using System.CommandLine;
using System.Globalization;
using System.Text.Json;
using Pipeline.Documents.Transfer;
using Pipeline.Hosting;
using Pipeline.Worker.Terminal;

namespace Pipeline.Worker.CommandLine;

/// <summary><c>pipeline export</c>: writes documents as JSON lines in the order of their ids.</summary>
internal sealed class ExportCommand : WorkerCommand
{
    private readonly Option<string?> _collection = new("--collection")
    {
        Description = "Only this collection; case is ignored.",
        HelpName = "NAME",
    };

    private readonly Option<string?> _output = new("--output", "-o")
    {
        Description =
            "The file to write (default: standard output). It appears when it is complete, and is compressed if its name ends in .gz.",
        HelpName = "FILE",
    };

    private readonly Option<bool> _json = new("--json") { Description = "With --output: print the result as JSON." };
    private readonly Option<string?> _url = WorkerClient.InsteadOption();

    public ExportCommand(CommonOptions common)
        : base(
            "export",
            "Write documents as JSON lines, in the order of their ids, then attachments, events and compare-exchange values; 'pipeline import' reads them back."
        )
    {
        Add(_collection);
        Add(_output);
        Add(_json);
        Add(_url);
        common.AddDatabaseTo(this);
        common.RefuseWith(this, _url);
    }

    /// <inheritdoc/>
    public override string? WhenStopped(ParseResult parsed) =>
        parsed.GetValue(_output) is { } output ? $"'{output}' was not written" : null;

    /// <inheritdoc/>
    public override async Task<int> RunAsync(CommandRun run, CancellationToken cancellationToken)
    {
        var collection = run.Parsed.GetValue(_collection);
        var output = run.Parsed.GetValue(_output);
        if (await RunningWorker.FindAsync(run, _url, cancellationToken).ConfigureAwait(false) is { } url)
        {
            var exported = await RemoteTransfer
                .ExportAsync(run, url, collection, output, cancellationToken)
                .ConfigureAwait(false);
            if (output is not null)
                await WriteAsync(run, exported, output).ConfigureAwait(false);
            return ExitCodes.Success;
        }
        var source = DataSource.Find(run.Settings);
        var opened = OpenedDatabase.OpenExisting(source, run.Loggers, run.Time);
        await using var closing = opened.ConfigureAwait(false);
        using var snapshot = opened.Database.OpenSnapshot();
        if (
            collection is not null
            && !snapshot
                .GetStatistics()
                .Collections.Any(c => string.Equals(c.Name, collection, StringComparison.OrdinalIgnoreCase))
        )
        {
            throw new WorkerException(
                $"there is no collection '{collection}' in {source.Description}; 'pipeline stats' lists them",
                ExitCodes.Failed
            );
        }

        if (output is null)
        {
            await JsonLinesExport
                .ExportAsync(snapshot, run.Console.OutStream, collection, ct: cancellationToken)
                .ConfigureAwait(false);
            await run.Console.OutStream.FlushAsync(cancellationToken).ConfigureAwait(false);
            return ExitCodes.Success;
        }
        var statistics = snapshot.GetStatistics();
        var line = new DocumentLine(
            run.Console,
            run.Time,
            "exporting",
            collection is null
                ? statistics.Documents
                : statistics
                    .Collections.Where(c => string.Equals(c.Name, collection, StringComparison.OrdinalIgnoreCase))
                    .Sum(c => c.Documents)
        );
        long count;
        try
        {
            count = await JsonLinesExport
                .ExportFileAsync(snapshot, output, collection, line, cancellationToken)
                .ConfigureAwait(false);
        }
        finally
        {
            line.Clear();
        }

        await WriteAsync(run, count, output).ConfigureAwait(false);
        return ExitCodes.Success;
    }

    private Task WriteAsync(CommandRun run, long documents, string output) =>
        run.Console.Out.WriteLineAsync(
            run.Parsed.GetValue(_json)
                ? JsonSerializer.Serialize(new { documents, file = output }, JsonForms.Indented)
                : string.Create(CultureInfo.InvariantCulture, $"exported {documents:N0} documents to {output}")
        );
}
