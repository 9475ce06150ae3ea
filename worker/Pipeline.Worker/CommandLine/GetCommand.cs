using System.CommandLine;
using System.Text.Json;
using Pipeline.Worker.Hosting;
using Pipeline.Worker.Terminal;

namespace Pipeline.Worker.CommandLine;

/// <summary><c>pipeline get</c>: prints one document.</summary>
internal sealed class GetCommand : WorkerCommand
{
    private readonly Argument<string> _id = new("ID") { Description = "The document's id; case is ignored." };

    public GetCommand(CommonOptions common)
        : base("get", "Print one document with its metadata: indented on a terminal, otherwise on one line.")
    {
        AddPlain(_id);
        common.AddDatabaseTo(this);
    }

    /// <inheritdoc/>
    public override async Task<int> RunAsync(CommandRun run, CancellationToken cancellationToken)
    {
        var id = run.Parsed.GetValue(_id)!;
        var source = DataSource.Find(run.Settings);
        var opened = OpenedDatabase.OpenExisting(source, run.Loggers, run.Time);
        await using var closing = opened.ConfigureAwait(false);
        using var snapshot = opened.Database.OpenSnapshot();
        if (!snapshot.TryGet(id, out var document))
            throw new WorkerException($"there is no document '{id}' in {source.Description}", ExitCodes.Failed);
        var text = document.ToString();
        if (run.Console.IsOutputTerminal)
        {
            using var parsed = JsonDocument.Parse(text);
            text = JsonSerializer.Serialize(parsed.RootElement, JsonForms.Indented);
        }
        await run.Console.Out.WriteLineAsync(text.AsMemory(), cancellationToken).ConfigureAwait(false);
        return ExitCodes.Success;
    }
}
