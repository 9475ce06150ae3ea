using System.CommandLine;
using System.Net;
using System.Text.Json;
using Pipeline.Hosting;

namespace Pipeline.Worker.CommandLine;

/// <summary><c>pipeline get</c>: prints one document.</summary>
internal sealed class GetCommand : WorkerCommand
{
    private readonly Argument<string> _id = new("ID") { Description = "The document's id; case is ignored." };
    private readonly Option<string?> _url = WorkerClient.InsteadOption();

    public GetCommand(CommonOptions common)
        : base("get", "Print one document with its metadata: indented on a terminal, otherwise on one line.")
    {
        AddPlain(_id);
        AddJson("Print the document on one line, also on a terminal.");
        Add(_url);
        common.AddDatabaseTo(this);
    }

    /// <inheritdoc/>
    public override async Task<int> RunAsync(CommandRun run, CancellationToken cancellationToken)
    {
        var id = run.Parsed.GetValue(_id)!;
        var text = await RunningWorker.FindAsync(run, _url, cancellationToken).ConfigureAwait(false) is { } url
            ? await AskAsync(url, id, cancellationToken).ConfigureAwait(false)
            : await OpenAsync(run, id).ConfigureAwait(false);
        if (run.Console.IsOutputTerminal && !run.IsJson)
        {
            using var parsed = JsonDocument.Parse(text);
            text = JsonSerializer.Serialize(parsed.RootElement, JsonForms.Indented);
        }
        await run.Console.Out.WriteLineAsync(text.AsMemory(), cancellationToken).ConfigureAwait(false);
        return ExitCodes.Success;
    }

    private static async Task<string> AskAsync(string url, string id, CancellationToken cancellationToken)
    {
        using var client = new WorkerClient(url);
        var name = await client.DatabaseNameAsync(cancellationToken).ConfigureAwait(false);
        var path = $"/databases/{Uri.EscapeDataString(name)}/docs?id={Uri.EscapeDataString(id)}";
        var (ok, status, body) = await client.AskAsync(path, cancellationToken).ConfigureAwait(false);
        if (status == (int)HttpStatusCode.NotFound)
            throw Missing(id, $"'{name}' ({url})");
        using var answer = JsonDocument.Parse(client.Check(path, (ok, status, body)));
        var document = answer.RootElement.GetProperty("Results")[0];
        return document.ValueKind == JsonValueKind.Object
            ? document.GetRawText()
            : throw Missing(id, $"'{name}' ({url})");
    }

    private static async Task<string> OpenAsync(CommandRun run, string id)
    {
        var source = DataSource.Find(run.Settings);
        var opened = OpenedDatabase.OpenExisting(source, run.Loggers, run.Time);
        await using var closing = opened.ConfigureAwait(false);
        using var snapshot = opened.Database.OpenSnapshot();
        return snapshot.TryGet(id, out var document) ? document.ToString() : throw Missing(id, source.Description);
    }

    private static WorkerException Missing(string id, string place) =>
        new($"there is no document '{id}' in {place}", ExitCodes.Failed);
}
