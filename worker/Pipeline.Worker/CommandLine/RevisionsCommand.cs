using System.CommandLine;
using System.Globalization;
using System.Text.Json;
using Pipeline.Hosting;
using Pipeline.Hosting.Revisions;
using Pipeline.Worker.Terminal;
using Spectre.Console;

namespace Pipeline.Worker.CommandLine;

/// <summary><c>pipeline revisions</c>: the versions of a document, newest first.</summary>
internal sealed class RevisionsCommand : WorkerCommand
{
    private readonly Argument<string> _id = new("ID") { Description = "The document's id; case is ignored." };
    private readonly Option<int> _start = new("--start")
    {
        Description = "How many of the newest versions to skip.",
        HelpName = "N",
        DefaultValueFactory = _ => 0,
    };
    private readonly Option<int> _count = new("--count")
    {
        Description = "Most versions to show.",
        HelpName = "N",
        DefaultValueFactory = _ => RevisionPage.DefaultCount,
    };
    private readonly Option<bool> _json = new("--json") { Description = "Print them as JSON, with the documents." };
    private readonly Option<string?> _url = WorkerClient.InsteadOption();

    public RevisionsCommand(CommonOptions common)
        : base(
            "revisions",
            "Show the kept versions of a document, the newest first. The setting database.revisions decides which are kept."
        )
    {
        AddPlain(_id);
        Add(_start);
        Add(_count);
        Add(_json);
        Add(_url);
        common.AddDatabaseTo(this);
        Validators.Add(result =>
        {
            if (result.GetResult(_start) is { Implicit: false } && result.GetValue(_start) < 0)
                result.AddError($"--start is {result.GetValue(_start)}; it must be at least 0");
            if (
                result.GetResult(_count) is { Implicit: false }
                && result.GetValue(_count) is < 1 or > RevisionPage.MaxCount
            )
            {
                result.AddError($"--count is {result.GetValue(_count)}; it goes from 1 to {RevisionPage.MaxCount}");
            }
        });
    }

    /// <inheritdoc/>
    public override async Task<int> RunAsync(CommandRun run, CancellationToken cancellationToken)
    {
        var id = run.Parsed.GetValue(_id)!;
        var (start, count) = (run.Parsed.GetValue(_start), run.Parsed.GetValue(_count));
        var page = await RunningWorker.FindAsync(run, _url, cancellationToken).ConfigureAwait(false) is { } url
            ? await AskAsync(url, id, start, count, cancellationToken).ConfigureAwait(false)
            : await OpenAsync(run, id, start, count).ConfigureAwait(false);
        if (page.Total == 0)
            throw new WorkerException($"there is no document '{id}', and no version of it", ExitCodes.Failed);
        if (run.Parsed.GetValue(_json))
        {
            await run
                .Console.Out.WriteLineAsync(
                    JsonSerializer.Serialize(page, JsonForms.Indented).AsMemory(),
                    cancellationToken
                )
                .ConfigureAwait(false);
        }
        else
        {
            Draw(page, start, run.Console);
        }

        return ExitCodes.Success;
    }

    private static async Task<RevisionPage> AskAsync(
        string url,
        string id,
        int start,
        int count,
        CancellationToken cancellationToken
    )
    {
        using var client = new WorkerClient(url);
        var path = string.Create(
            CultureInfo.InvariantCulture,
            $"/revisions?id={Uri.EscapeDataString(id)}&start={start}&count={count}"
        );
        return WorkerClient.Read<RevisionPage>(await client.GetAsync(path, cancellationToken).ConfigureAwait(false));
    }

    private static async Task<RevisionPage> OpenAsync(CommandRun run, string id, int start, int count)
    {
        var opened = OpenedDatabase.OpenExisting(DataSource.Find(run.Settings), run.Loggers, run.Time);
        await using var closing = opened.ConfigureAwait(false);
        return RevisionPage.Read(opened.Database, id, start, count);
    }

    private static void Draw(RevisionPage page, int start, WorkerConsole console)
    {
        var table = new Table().Border(TableBorder.Rounded);
        foreach (var heading in (string[])["position", "bytes"])
            table.AddColumn(new TableColumn(heading).RightAligned());
        foreach (var heading in (string[])["written", "collection", "document"])
            table.AddColumn(heading);
        foreach (var version in page.Results)
        {
            table.AddRow(
                new Text(version.Position.ToString("N0", CultureInfo.InvariantCulture)),
                new Text(version.IsDeleted ? "" : version.Bytes.ToString("N0", CultureInfo.InvariantCulture)),
                new Text(version.LastModified.ToString("u", CultureInfo.InvariantCulture)),
                new Text(version.Collection),
                new Text(version.IsDeleted ? "deleted" : Shown(version.Document))
            );
        }
        SummaryTable.ConsoleFor(console.Out, console.IsOutputTerminal).Write(table);
        console.Out.WriteLine(
            string.Create(
                CultureInfo.InvariantCulture,
                $"{page.Results.Count:N0} of {page.Total:N0} {(page.Total == 1 ? "version" : "versions")}{(start > 0 ? $" after the newest {start:N0}" : "")}"
            )
        );
    }

    /// <summary>The start of the document, without its metadata.</summary>
    private static string Shown(JsonElement? document)
    {
        const int most = 60;
        if (document is not { } json)
            return "";
        var text =
            "{"
            + string.Join(
                ',',
                json.EnumerateObject()
                    .Where(p => p.Name != "@metadata")
                    .Select(p => $"\"{p.Name}\":{p.Value.GetRawText()}")
            )
            + "}";
        text = string.Concat(text.Select(c => char.IsControl(c) ? ' ' : c));
        return text.Length <= most ? text : string.Concat(text.AsSpan(0, most - 3), "...");
    }
}
