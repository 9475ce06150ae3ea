using System.Text.Json;
using Pipeline.TestKit.Files;
using Pipeline.WorkerKit;
using Xunit;

namespace Pipeline.Worker.Tests;

public sealed class RunOnceTests
{
    [Fact]
    public async Task NorthwindGoesToFilesAsComputedByOtherCode()
    {
        using var folder = new TestFolder();
        File.Copy(NorthwindFile.Path, folder["northwind.jsonl"]);
        // The sample's own tasks, files being the target by default.
        File.Copy(Path.Combine(NorthwindFile.SampleFolder, "pipeline.yaml"), folder["pipeline.yaml"]);

        var run = await WorkerRun.InvokeAsync("run", "--once", "--config", folder["pipeline.yaml"]);

        Assert.True(run.ExitCode == ExitCodes.Success, run.Error + run.Out);
        var documents = NorthwindFile.Read();
        var orders = documents.Where(d => NorthwindFile.Collection(d) == "Orders").ToList();
        var byId = documents.ToDictionary(NorthwindFile.Id, StringComparer.OrdinalIgnoreCase);
        Assert.Equal(orders.Where(o => Total(o) >= 500).Select(BigOrder), ReadData(folder, "big-orders"));
        Assert.Equal(orders.SelectMany(Lines), ReadData(folder, "order-lines"));
        Assert.Equal(orders.Select(o => Summary(o, byId)), ReadData(folder, "order-summaries"));
        Assert.Contains("1,051 documents in 'northwind' (1,051 imported now), position 1,051, ", run.Out);
        Assert.Contains("│ big-orders      │ done  │       830 │", run.Out);
    }

    [Fact]
    public async Task MessagesAreCloudEvents()
    {
        using var folder = new TestFolder();
        var config = Configure(
            folder,
            transform: "send(\"out\", new { doc.N }, key: id, type: \"shop.thing\", source: \"/shop\");"
        );
        folder.Write("things.jsonl", """{"@metadata":{"@id":"things/1","@collection":"Things"},"N":1}""");

        var run = await WorkerRun.InvokeAsync("run", "--once", "--config", config);

        Assert.True(run.ExitCode == ExitCodes.Success, run.Error);
        var message = JsonDocument.Parse(File.ReadLines(folder["out/out.jsonl"]).Single()).RootElement;
        Assert.Equal("1.0", message.GetProperty("specversion").GetString());
        Assert.Equal("shop.thing", message.GetProperty("type").GetString());
        Assert.Equal("/shop", message.GetProperty("source").GetString());
        Assert.Equal("things/1", message.GetProperty("subject").GetString());
        Assert.Equal("things/1", message.GetProperty("partitionkey").GetString());
        Assert.EndsWith("/copy/1/0", message.GetProperty("id").GetString());
        Assert.Equal("{\"N\":1}", message.GetProperty("data").GetRawText());
    }

    [Fact]
    public async Task TheSummaryIsJsonWhereAskedForAndLogsStayApart()
    {
        using var folder = new TestFolder();
        var config = Configure(folder, transform: "send(\"out\", new { doc.N });");
        folder.Write("things.jsonl", Things(3));

        var run = await WorkerRun.InvokeAsync("run", "--once", "--json", "--config", config);

        Assert.True(run.ExitCode == ExitCodes.Success, run.Error);
        var summary = JsonDocument.Parse(run.Out).RootElement;
        Assert.True(summary.GetProperty("succeeded").GetBoolean());
        Assert.Equal("shop", summary.GetProperty("database").GetString());
        Assert.Equal(3, summary.GetProperty("position").GetInt64());
        Assert.Equal(3, summary.GetProperty("imported").GetInt64());
        var task = Assert.Single(summary.GetProperty("tasks").EnumerateArray());
        Assert.Equal("copy", task.GetProperty("name").GetString());
        Assert.Equal("done", task.GetProperty("state").GetString());
        Assert.Equal(3, task.GetProperty("messages").GetInt64());
        Assert.Equal(0, task.GetProperty("deadLetters").GetInt64());
        Assert.Equal(3, task.GetProperty("position").GetInt64());
        Assert.Matches(
            @"(?m)^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z info  Pipeline\.Worker: opened 'shop' in ",
            run.Error
        );
    }

    [Fact]
    public async Task ASecondRunImportsAndSendsNothingMore()
    {
        using var folder = new TestFolder();
        var config = Configure(folder, transform: "send(\"out\", new { doc.N });");
        folder.Write("things.jsonl", Things(3));

        Assert.Equal(ExitCodes.Success, (await WorkerRun.InvokeAsync("run", "--once", "--config", config)).ExitCode);
        var again = await WorkerRun.InvokeAsync("run", "--once", "--json", "--config", config);

        Assert.Equal(ExitCodes.Success, again.ExitCode);
        var summary = JsonDocument.Parse(again.Out).RootElement;
        Assert.Equal(0, summary.GetProperty("imported").GetInt64());
        Assert.Equal(0, summary.GetProperty("tasks")[0].GetProperty("messages").GetInt64());
        Assert.Equal(3, File.ReadLines(folder["out/out.jsonl"]).Count());
    }

    [Fact]
    public async Task ADocumentThatFailsIsADeadLetterAndExitCode1()
    {
        using var folder = new TestFolder();
        var config = Configure(
            folder,
            transform: "if (doc.N == 2) throw new InvalidOperationException(\"two is odd\"); send(\"out\", new { doc.N });"
        );
        folder.Write("things.jsonl", Things(3));

        var run = await WorkerRun.InvokeAsync("run", "--once", "--json", "--config", config);

        Assert.Equal(ExitCodes.Failed, run.ExitCode);
        var summary = JsonDocument.Parse(run.Out).RootElement;
        Assert.False(summary.GetProperty("succeeded").GetBoolean());
        Assert.Equal(1, summary.GetProperty("tasks")[0].GetProperty("deadLetters").GetInt64());
        Assert.Equal(2, summary.GetProperty("tasks")[0].GetProperty("messages").GetInt64());
        var letters = await WorkerRun.InvokeAsync("export", "--collection", "DeadLetters", "--config", config);
        Assert.Contains("two is odd", letters.Out);
    }

    [Fact]
    public async Task AnImportWithALineThatIsNoDocumentImportsNothing()
    {
        using var folder = new TestFolder();
        var config = Configure(folder, transform: "send(\"out\", new { doc.N });");
        folder.Write("things.jsonl", Things(2) + "{\"N\":\n");

        var run = await WorkerRun.InvokeAsync("run", "--once", "--config", config, "--log-level", "none");

        Assert.Equal(ExitCodes.Failed, run.ExitCode);
        var lines = run.Error.Split(Environment.NewLine);
        Assert.StartsWith($"pipeline: {folder["things.jsonl"]}:3:", lines[0]);
        Assert.Equal(
            "pipeline: 1 line is not valid; nothing was imported. Correct the file, or leave such lines out with 'pipeline import --on-error skip'",
            lines[1]
        );

        folder.Write("things.jsonl", Things(2));
        var repaired = await WorkerRun.InvokeAsync("run", "--once", "--json", "--config", config);
        Assert.Equal(2, JsonDocument.Parse(repaired.Out).RootElement.GetProperty("imported").GetInt64());
    }

    [Fact]
    public async Task AMissingFileToImportIsNamed()
    {
        using var folder = new TestFolder();
        var config = Configure(folder, transform: "send(\"out\", new { doc.N });");

        var run = await WorkerRun.InvokeAsync("run", "--once", "--config", config, "--log-level", "none");

        Assert.Equal(
            $"pipeline: the import file {folder["things.jsonl"]} does not exist{Environment.NewLine}",
            run.Error
        );
        Assert.Equal(ExitCodes.Usage, run.ExitCode);
    }

    internal static string Configure(TestFolder folder, string transform) =>
        folder.Write(
            "pipeline.yaml",
            $$"""
            version: 1
            database: { name: shop, path: ./data }
            import: [things.jsonl]
            server: { url: "http://127.0.0.1:0" }
            connections: { files: { files: { directory: ./out } } }
            etl:
              - name: copy
                from: [Things]
                to: files
                transform: |
                  {{transform}}
            """
        );

    internal static string Things(int count) =>
        string.Concat(
            Enumerable
                .Range(1, count)
                .Select(n => $$"""{"@metadata":{"@id":"things/{{n}}","@collection":"Things"},"N":{{n}}}""" + "\n")
        );

    private static IEnumerable<string> ReadData(TestFolder folder, string file) =>
        File.ReadLines(folder[$"out/{file}.jsonl"])
            .Select(l => Canonical(JsonDocument.Parse(l).RootElement.GetProperty("data")));

    private static string Canonical(JsonElement value) =>
        string.Join(
            " | ",
            value
                .EnumerateObject()
                .Select(p =>
                    p.Name
                    + "="
                    + (p.Value.ValueKind == JsonValueKind.Number ? Plain(p.Value.GetDecimal()) : p.Value.ToString())
                )
        );

    private static string Plain(decimal number) => number.ToString("0.############");

    private static decimal Amount(JsonElement line) =>
        line.GetProperty("PricePerUnit").GetDecimal()
        * line.GetProperty("Quantity").GetDecimal()
        * (1 - line.GetProperty("Discount").GetDecimal());

    private static decimal Total(JsonElement order) => order.GetProperty("Lines").EnumerateArray().Sum(Amount);

    private static string BigOrder(JsonElement o) =>
        $"Id={NorthwindFile.Id(o)} | Company={o.GetProperty("Company")} | Country={o.GetProperty("ShipTo").GetProperty("Country")} | Total={Plain(Math.Round(Total(o), 2))}";

    private static IEnumerable<string> Lines(JsonElement o) =>
        o.GetProperty("Lines")
            .EnumerateArray()
            .Select(l =>
                $"Order={NorthwindFile.Id(o)} | Product={l.GetProperty("Product")} | ProductName={l.GetProperty("ProductName")} | "
                + $"Quantity={Plain(l.GetProperty("Quantity").GetDecimal())} | Amount={Plain(Math.Round(Amount(l), 2))}"
            );

    private static string Summary(JsonElement o, Dictionary<string, JsonElement> byId)
    {
        var company = byId[o.GetProperty("Company").GetString()!];
        var employee = byId[o.GetProperty("Employee").GetString()!];
        return $"Id={NorthwindFile.Id(o)} | OrderedAt={o.GetProperty("OrderedAt")} | Company={company.GetProperty("Name")} | "
            + $"City={company.GetProperty("Address").GetProperty("City")} | SoldBy={employee.GetProperty("FirstName")} {employee.GetProperty("LastName")}";
    }
}
