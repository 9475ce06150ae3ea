using System.CommandLine;
using System.Text.Json;
using Pipeline.Hosting;
using Pipeline.TestKit.Files;
using Pipeline.Worker.CommandLine;
using Pipeline.Worker.Terminal;
using Pipeline.WorkerKit;
using Xunit;

namespace Pipeline.Worker.Tests;

/// <summary>Every command prints its result as JSON with <c>--json</c>.</summary>
public sealed class JsonOptionTests : IDisposable
{
    /// <summary>The commands without the option, with their output.</summary>
    private static readonly Dictionary<string, string> Without = new()
    {
        ["schema"] = "a JSON Schema",
        ["completion"] = "a shell script",
        ["snmp"] = "the lines of pass_persist",
        ["subscribe"] = "JSON lines",
        ["subscription try"] = "JSON lines",
    };

    private readonly TestFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public void EveryCommandTakesItUnlessItsOutputHasAFormatOfItsOwn()
    {
        var line = new PipelineCommandLine(
            new WorkerConsole(TextWriter.Null, TextWriter.Null, Stream.Null),
            TimeProvider.System
        );
        var without = Leaves(line.Root, "")
            .Where(c => c.Command.Options.All(o => o.Name != WorkerCommand.JsonName))
            .Select(c => c.Path);
        Assert.Equal(Without.Keys.Order(StringComparer.Ordinal), without.Order(StringComparer.Ordinal));
    }

    [Fact]
    public async Task TheResultIsOneJsonValueOnStandardOutput()
    {
        var file = _folder.Write(
            "pipeline.yaml",
            """
            version: 1
            database: { name: shop, path: ./data }
            server: { url: "http://127.0.0.1:0" }
            connections: { out: { files: { directory: ./out } } }
            etl:
              - name: t
                from: [Orders]
                to: out
                transform: 'send("orders", new { Id = id });'
            subscriptions: [{ name: all, query: "from Orders" }]
            backups: [{ name: local, to: { folder: ./bak } }]
            """
        );
        var lines = _folder.Write("one.jsonl", """{"@metadata":{"@id":"orders/1","@collection":"Orders"}}""");
        string[][] alone =
        [
            ["import", lines],
            ["export", "--output", _folder["out.jsonl"]],
            ["lint"],
            ["plan"],
            ["doctor"],
            ["check"],
            ["compact"],
            ["stats"],
            ["backup", "run", "local"],
            ["backup", "list"],
            ["backup", "verify"],
            ["backup", "drill"],
            ["backup", "retention"],
            ["restore", "local", "--preview"],
            ["restore", "local", "--to", _folder["new"]],
            ["get", "orders/1"],
            ["deadletters", "list"],
            ["deadletters", "retry", "--all"],
            ["deadletters", "drop", "--all"],
            ["test", "--record", "1"],
            ["test"],
        ];
        await PrintAsync(alone, file);

        var worker = await PipelineWorker.OpenAsync(new WorkerOptions { ConfigurationFile = file, Listens = true });
        await using var closing = worker.ConfigureAwait(false);
        await PrintAsync(
            [
                ["apply"],
                ["top"],
                ["scrub"],
                ["io-stats"],
                ["import", lines],
                ["query", "from Orders where Total > 1"],
                ["indexes"],
                ["index", "reset", "Auto/Orders/ByTotal"],
                ["index", "delete", "Auto/Orders/ByTotal"],
                ["subscriptions"],
                ["subscription", "pause", "all"],
                ["consumers", "list"],
                ["replay", "t", "--from", "1", "--dry-run"],
                ["backup", "run", "local"],
                ["backup", "drill", "local"],
                ["backup", "cancel", "local"],
                ["backup", "status"],
                ["restore", "local", "--preview"],
                ["subscription", "delete", "all"],
            ],
            file
        );
    }

    private static async Task PrintAsync(string[][] commands, string file)
    {
        foreach (var command in commands)
        {
            var run = await WorkerRun.InvokeAsync([.. command, "--json", "--config", file]);
            try
            {
                using var json = JsonDocument.Parse(run.Out);
                Assert.True(json.RootElement.ValueKind is JsonValueKind.Object or JsonValueKind.Array);
            }
            catch (JsonException e)
            {
                Assert.Fail($"{string.Join(' ', command)}: {e.Message}\n{run.Out}\n{run.Error}");
            }
        }
    }

    private static IEnumerable<(string Path, Command Command)> Leaves(Command command, string path) =>
        command.Subcommands.Count == 0
            ? [(path, command)]
            : command.Subcommands.SelectMany(c => Leaves(c, path.Length == 0 ? c.Name : $"{path} {c.Name}"));
}
