using System.Text.Json;
using System.Text.RegularExpressions;
using Pipeline.Database;
using Pipeline.TestKit.Files;
using Pipeline.WorkerKit;
using Xunit;

namespace Pipeline.Worker.Tests;

public sealed class DataCommandTests
{
    [Fact]
    public async Task ImportGetExportAndImportAgainKeepEveryDocument()
    {
        using var folder = new TestFolder();

        var imported = await WorkerRun.InvokeAsync(
            "import",
            NorthwindFile.Path,
            "--data",
            folder["a"],
            "--log-level",
            "warn"
        );
        Assert.Equal(ExitCodes.Success, imported.ExitCode);
        Assert.StartsWith($"imported 1,051 documents into 'a' ({folder["a"]}) in ", imported.Out);

        var got = await WorkerRun.InvokeAsync("get", "ORDERS/10248", "--data", folder["a"]);
        Assert.Equal(ExitCodes.Success, got.ExitCode);
        var order = JsonDocument.Parse(got.Out).RootElement;
        Assert.Equal("orders/10248", NorthwindFile.Id(order));
        Assert.Equal("Orders", NorthwindFile.Collection(order));
        Assert.Equal("companies/VINET", order.GetProperty("Company").GetString());

        var exported = await WorkerRun.InvokeAsync("export", "--data", folder["a"], "--output", folder["all.jsonl.gz"]);
        Assert.Equal($"exported 1,051 documents to {folder["all.jsonl.gz"]}{Environment.NewLine}", exported.Out);
        Assert.Equal(
            ExitCodes.Success,
            (await WorkerRun.InvokeAsync("import", folder["all.jsonl.gz"], "--data", folder["b"])).ExitCode
        );

        var text = await WorkerRun.InvokeAsync("export", "--data", folder["b"]);
        var lines = text
            .Out.Split('\n', StringSplitOptions.RemoveEmptyEntries)
            .Select(l => JsonDocument.Parse(l).RootElement)
            .ToList();
        var ids = lines.Select(l => NorthwindFile.Id(l).ToLowerInvariant()).ToList();
        Assert.Equal(ids.Order(StringComparer.Ordinal), ids);
        Assert.Equal(
            NorthwindFile.Read().Select(Body).Order(StringComparer.Ordinal),
            lines.Select(Body).Order(StringComparer.Ordinal)
        );
    }

    [Fact]
    public async Task AJournalOfItsOwnFolderIsFoundByTheConfigurationAndMissedWithoutIt()
    {
        using var folder = new TestFolder();
        var config = folder.Write(
            "pipeline.yaml",
            "version: 1\ndatabase: { name: shop, path: data, journalPath: elsewhere/journal, journalCompression: off }\n"
        );
        Assert.Equal(
            "",
            (await WorkerRun.InvokeAsync("import", NorthwindFile.Path, "--config", config, "--log-level", "warn")).Error
        );
        Assert.NotEmpty(Directory.GetFiles(folder["elsewhere/journal"]));
        Assert.False(Directory.Exists(folder["data/journal"]));
        Assert.Equal(ExitCodes.Success, (await WorkerRun.InvokeAsync("check", "--config", config)).ExitCode);

        var without = await WorkerRun.InvokeAsync("stats", "--data", folder["data"]);
        Assert.Equal(ExitCodes.Failed, without.ExitCode);
        Assert.Contains("journalPath", without.Error, StringComparison.Ordinal);
        Assert.Contains(
            "1,051",
            (await WorkerRun.InvokeAsync("stats", "--config", config)).Out,
            StringComparison.Ordinal
        );

        // A salvaged database has its journal in its default place.
        Assert.Equal(
            ExitCodes.Success,
            (await WorkerRun.InvokeAsync("salvage", "--to", folder["salvaged"], "--config", config)).ExitCode
        );
        Assert.Contains(
            "1,051",
            (await WorkerRun.InvokeAsync("stats", "--data", folder["salvaged"])).Out,
            StringComparison.Ordinal
        );
    }

    [Fact]
    public async Task ExportTakesOneCollection()
    {
        using var folder = new TestFolder();
        await WorkerRun.InvokeAsync("import", NorthwindFile.Path, "--data", folder["a"]);

        var run = await WorkerRun.InvokeAsync("export", "--collection", "shippers", "--data", folder["a"]);
        Assert.Equal(3, run.Out.Split('\n', StringSplitOptions.RemoveEmptyEntries).Length);

        var none = await WorkerRun.InvokeAsync("export", "--collection", "Ships", "--data", folder["a"]);
        Assert.Equal(
            $"pipeline: there is no collection 'Ships' in 'a' ({folder["a"]}); 'pipeline stats' lists them{Environment.NewLine}",
            none.Error
        );
        Assert.Equal(ExitCodes.Failed, none.ExitCode);
    }

    [Fact]
    public async Task StatsCountCollections()
    {
        using var folder = new TestFolder();
        await WorkerRun.InvokeAsync("import", NorthwindFile.Path, "--data", folder["a"]);

        var json = JsonDocument
            .Parse((await WorkerRun.InvokeAsync("stats", "--json", "--data", folder["a"])).Out)
            .RootElement;
        Assert.Equal(1051, json.GetProperty("documents").GetInt64());
        Assert.Equal(1051, json.GetProperty("lastPosition").GetInt64());
        Assert.Equal(
            830,
            json.GetProperty("collections")
                .EnumerateArray()
                .Single(c => c.GetProperty("name").GetString() == "Orders")
                .GetProperty("documents")
                .GetInt64()
        );

        var table = (await WorkerRun.InvokeAsync("stats", "--data", folder["a"])).Out;
        Assert.Contains("│ Orders     │       830 │          0 │", table);
        Assert.Contains("position 1,051, ", table);
    }

    [Fact]
    public async Task AMissingDocumentIsExitCode1()
    {
        using var folder = new TestFolder();
        await WorkerRun.InvokeAsync("import", folder.Write("t.jsonl", RunOnceTests.Things(1)), "--data", folder["a"]);

        var run = await WorkerRun.InvokeAsync("get", "things/2", "--data", folder["a"]);

        Assert.Equal(
            $"pipeline: there is no document 'things/2' in 'a' ({folder["a"]}){Environment.NewLine}",
            run.Error
        );
        Assert.Equal(ExitCodes.Failed, run.ExitCode);
    }

    [Theory]
    [InlineData("get", "x")]
    [InlineData("export")]
    [InlineData("stats")]
    [InlineData("run")]
    public async Task AMissingDatabaseIsNotMade(params string[] command)
    {
        using var folder = new TestFolder();

        var run = await WorkerRun.InvokeAsync([.. command, "--data", folder["none"]]);

        Assert.Equal(
            $"pipeline: there is no database in {folder["none"]}; 'pipeline import', or 'pipeline run' with a configuration, makes one{Environment.NewLine}",
            run.Error
        );
        Assert.Equal(ExitCodes.Usage, run.ExitCode);
        Assert.False(Directory.Exists(folder["none"]));
    }

    [Fact]
    public async Task AnEmptyIdIsAnErrorOfTheCommandLine()
    {
        using var folder = new TestFolder();
        await WorkerRun.InvokeAsync("import", folder.Write("t.jsonl", RunOnceTests.Things(1)), "--data", folder["a"]);
        var run = await WorkerRun.InvokeAsync("get", "", "--data", folder["a"], "--log-level", "none");
        Assert.Equal(ExitCodes.Usage, run.ExitCode);
        Assert.Equal($"pipeline: '' cannot be a document id: it is empty{Environment.NewLine}", run.Error);
    }

    [Fact]
    public async Task ImportSkipsLinesWhereAsked()
    {
        using var folder = new TestFolder();
        var file = folder.Write(
            "t.jsonl",
            RunOnceTests.Things(2) + "nonsense\n" + """{"@metadata":{"@id":"things/4","@collection":"Things"}}"""
        );

        var refused = await WorkerRun.InvokeAsync("import", file, "--data", folder["a"], "--log-level", "none");
        Assert.Equal(ExitCodes.Failed, refused.ExitCode);
        Assert.Matches($@"^pipeline: {Regex.Escape(file)}:3:\d+: ", refused.Error);
        Assert.Contains("1 line is not valid; nothing was imported.", refused.Error);

        var skipped = await WorkerRun.InvokeAsync(
            "import",
            file,
            "--data",
            folder["a"],
            "--on-error",
            "skip",
            "--log-level",
            "none"
        );
        Assert.Equal(ExitCodes.Failed, skipped.ExitCode);
        Assert.Matches($@"^pipeline: {Regex.Escape(file)}:3:\d+: ", skipped.Error);
        Assert.Matches(
            @"^imported 3 documents into .* s; 1 lines are not documents and were left out\s*$",
            skipped.Out
        );
    }

    [Fact]
    public async Task AFileThatIsNotThereIsNamed()
    {
        using var folder = new TestFolder();

        var run = await WorkerRun.InvokeAsync("import", folder["none.jsonl"], "--data", folder["a"]);

        Assert.Equal(
            $"pipeline: the import file {folder["none.jsonl"]} does not exist{Environment.NewLine}",
            run.Error
        );
        Assert.Equal(ExitCodes.Usage, run.ExitCode);
        Assert.False(Directory.Exists(folder["a"]));
    }

    [Fact]
    public async Task AFolderThatIsHeldIsRefusedNamingItsHolder()
    {
        using var folder = new TestFolder();
        await WorkerRun.InvokeAsync("import", folder.Write("t.jsonl", RunOnceTests.Things(1)), "--data", folder["a"]);
        await using var holder = DocumentDatabase.Open(new DatabaseOptions { Name = "a", Path = folder["a"] });

        var run = await WorkerRun.InvokeAsync("stats", "--data", folder["a"], "--log-level", "none");

        Assert.Matches(
            $"^pipeline: .*{Regex.Escape(folder["a"])}.* is in use by .*{Environment.ProcessId}.*; only one process can open a data folder at a time: "
                + $"stop that process first, or ask it: --url ADDRESS{Environment.NewLine}$",
            run.Error
        );
        Assert.Equal(ExitCodes.Usage, run.ExitCode);
    }

    [Fact]
    public async Task AFolderOfANewerFormatIsRefused()
    {
        using var folder = new TestFolder();
        await WorkerRun.InvokeAsync("import", folder.Write("t.jsonl", RunOnceTests.Things(1)), "--data", folder["a"]);
        NewerFormat.Mark(folder["a/pipeline.data"], 9);

        var run = await WorkerRun.InvokeAsync("stats", "--data", folder["a"], "--log-level", "none");

        Assert.Matches(
            @"^pipeline: .*pipeline\.data has format version 9; this program reads up to version 2\. Open it with a newer program",
            run.Error
        );
        Assert.Equal(ExitCodes.Usage, run.ExitCode);
    }

    private static string Body(JsonElement document) =>
        NorthwindFile.Id(document)
        + " "
        + NorthwindFile.Collection(document)
        + " "
        + string.Join(
            ',',
            document
                .EnumerateObject()
                .Where(p => p.Name != "@metadata")
                .Select(p => p.Name + ":" + p.Value.GetRawText().Replace(" ", ""))
        );
}
