using Pipeline.TestKit.Files;
using Pipeline.WorkerKit;
using Xunit;

namespace Pipeline.Worker.Tests;

public sealed partial class TestCommandTests
{
    private const string Configuration = """
        # What we send on.
        version: 1
        database: { name: shop, path: ./data }   # here
        connections: { files: { files: { directory: ./out } } }
        etl:
          - name: orders   # the first
            from: [Orders]
            to: files
            transform: |
              var company = load(doc.Company);
              if (doc.Bad) throw new InvalidOperationException("bad order");
              if (company == null) return;
              send("orders", new { Id = id, doc.Total, doc.Note, Company = company.Name }, key: doc.Company);

          # The second one keeps its comment.
          - name: companies
            from: [Companies]
            to: files
            transform: send("companies", doc.Without("@metadata"));
            tests:
              - name: one
                document: { id: companies/9, body: { Name: x } }
                expect:
                - { body: { Name: x } }

        server: { url: http://127.0.0.1:8080 }
        """;

    private const string Documents = """
        {"Name":"Acme: \"A\"","@metadata":{"@id":"companies/1","@collection":"Companies"}}
        {"Total":1.50,"Company":"companies/1","Note":"line 1\nline 2","Lines":[{"A":1,"B":[]},[2,3]],"@metadata":{"@id":"orders/1","@collection":"Orders"}}
        {"Total":2,"Bad":true,"@metadata":{"@id":"orders/2","@collection":"Orders"}}
        {"Total":3,"Company":"none","Note":"yes","@metadata":{"@id":"orders/3","@collection":"Orders","Own":{"x":1}}}
        """;

    [Fact]
    public async Task RecordedCasesPassAndLeaveTheRestOfTheFileAsItIs()
    {
        using var folder = new TestFolder();
        var file = await FillAsync(folder);

        var recorded = await WorkerRun.InvokeAsync("test", file, "--record", "3");
        Assert.Equal($"4 cases were added to {file}{Environment.NewLine}", recorded.Out);
        var text = File.ReadAllText(file);
        var kept = new Queue<string>(Configuration.Split('\n'));
        foreach (var line in text.Split('\n'))
        {
            if (kept.Count > 0 && line == kept.Peek())
                kept.Dequeue();
        }

        Assert.Empty(kept);
        Assert.Contains("  - name: \"recorded: orders/1\"", text);
        Assert.Contains("error: bad order", text);
        Assert.Contains("expect: []", text);
        Assert.Contains("Note: \"line 1\\nline 2\"", text);

        var again = await WorkerRun.InvokeAsync("test", file, "--record", "2");
        Assert.Equal($"0 cases were added to {file}, 3 were there already{Environment.NewLine}", again.Out);
        Assert.Equal(text, File.ReadAllText(file));

        var run = await WorkerRun.InvokeAsync("test", file, "--min-coverage", "100");
        Assert.Equal("", run.Error);
        Assert.Equal(ExitCodes.Success, run.ExitCode);
        Assert.EndsWith($"5 passed, 0 failed; 100 % of all lines run{Environment.NewLine}", run.Out);

        // The recorded cases pin the script's present output, so a changed script fails them.
        File.WriteAllText(file, File.ReadAllText(file).Replace("doc.Total, ", "", StringComparison.Ordinal));
        var changed = await WorkerRun.InvokeAsync("test", file, "--task", "orders");
        Assert.Equal(ExitCodes.Failed, changed.ExitCode);
        Assert.Contains("orders: recorded: orders/1: FAILED", changed.Out);
        Assert.Contains("    -       \"Total\": 1.50,", changed.Out);
        Assert.Contains("2 passed, 1 failed", changed.Out);
    }

    [Fact]
    public async Task CasesAreRecordedIntoAFileBeside()
    {
        using var folder = new TestFolder();
        var file = await FillAsync(folder);
        var beside = folder["orders.tests.yaml"];

        var recorded = await WorkerRun.InvokeAsync("test", file, "--record", "1", "--task", "orders", "--to", beside);
        Assert.Equal(
            $"1 cases were added to {beside}; name it in {file}: testFiles: [{beside}]{Environment.NewLine}",
            recorded.Out
        );
        Assert.Equal(Configuration, File.ReadAllText(file));
        File.WriteAllText(
            file,
            Configuration.Replace(
                "    from: [Orders]",
                "    testFiles: [orders.tests.yaml]\n    from: [Orders]",
                StringComparison.Ordinal
            )
        );
        Assert.Equal(
            ExitCodes.Success,
            (await WorkerRun.InvokeAsync("test", file, "--task", "orders", "--junit", folder["results.xml"])).ExitCode
        );
        Assert.Contains("name=\"recorded: orders/3\"", File.ReadAllText(folder["results.xml"]));
    }

    [Fact]
    public async Task WhatCannotBeAddedToIsRefusedAndLeftAsItIs()
    {
        using var folder = new TestFolder();
        var file = await FillAsync(folder);
        var flow =
            Configuration[..Configuration.IndexOf("  - name: orders", StringComparison.Ordinal)]
            + "  - { name: orders, from: [Orders], to: files, transform: 'send(\"x\", doc);' }\n";
        File.WriteAllText(file, flow);

        var run = await WorkerRun.InvokeAsync("test", file, "--record", "1");

        Assert.Equal(
            $"pipeline: {file}:6: the task 'orders' is written in {{ }}, which no block can be added to; use --to FILE, or write it as a block{Environment.NewLine}",
            run.Error
        );
        Assert.Equal(flow, File.ReadAllText(file));
        Assert.Equal(ExitCodes.Failed, run.ExitCode);
    }

    [Theory]
    [InlineData("--task companys", ExitCodes.Usage, "there is no task 'companys' in FILE; did you mean 'companies'?")]
    [InlineData("--name nothing", ExitCodes.Usage, "no case's name contains 'nothing'")]
    [InlineData(
        "--task orders",
        ExitCodes.Usage,
        "FILE has no tests; add 'tests' to a task, or make some with 'pipeline test --record 3'"
    )]
    [InlineData("--min-coverage 90", ExitCodes.Failed, "20 % of the scripts' lines ran, but --min-coverage is 90 %")]
    [InlineData("--to x", ExitCodes.Usage, "test: --to goes with --record; 'pipeline test --help' shows its usage")]
    [InlineData(
        "--record 1 --to x",
        ExitCodes.Usage,
        "test: --to goes with --task: a file holds the cases of one task; 'pipeline test --help' shows its usage"
    )]
    [InlineData(
        "--record x",
        ExitCodes.Usage,
        "test: --record 'x' is not a whole number; 'pipeline test --help' shows its usage"
    )]
    [InlineData(
        "--min-coverage x",
        ExitCodes.Usage,
        "test: --min-coverage 'x' is not a number such as 90 or 7.5; 'pipeline test --help' shows its usage"
    )]
    [InlineData(
        "--min-coverage NaN",
        ExitCodes.Usage,
        "test: --min-coverage 'NaN' is not a number such as 90 or 7.5; 'pipeline test --help' shows its usage"
    )]
    [InlineData(
        "--min-coverage 101",
        ExitCodes.Usage,
        "test: --min-coverage is 101; it is in percent, 0 to 100; 'pipeline test --help' shows its usage"
    )]
    [InlineData(
        "--record 0",
        ExitCodes.Usage,
        "test: --record is 0; the range is 1 to 1000; 'pipeline test --help' shows its usage"
    )]
    public async Task WhatIsWrongIsALine(string options, int code, string expected)
    {
        using var folder = new TestFolder();
        var file = folder.Write("pipeline.yaml", Configuration);

        var run = await WorkerRun.InvokeAsync(["test", file, .. options.Split(' ')]);

        Assert.Equal(
            "pipeline"
                + (expected.StartsWith("test:", StringComparison.Ordinal) ? " " : ": ")
                + expected.Replace("FILE", file, StringComparison.Ordinal)
                + Environment.NewLine,
            run.Error
        );
        Assert.Equal(code, run.ExitCode);
    }

    [Fact]
    public async Task LinesOfJavaScriptAreNotMeasuredAndHoldNoLimit()
    {
        using var folder = new TestFolder();
        var file = folder.Write(
            "pipeline.yaml",
            Of("loadToX({ a: 1 });")
                .Replace(
                    "    to: files",
                    "    to: files\n    language: javascript\n    tests: [{ name: n, document: { id: a }, expect: [{ }] }]",
                    StringComparison.Ordinal
                )
        );

        var run = await WorkerRun.InvokeAsync("test", file, "--min-coverage", "50", "--junit", folder["r.xml"]);

        Assert.Equal(ExitCodes.Failed, run.ExitCode);
        Assert.Equal(
            $"pipeline: the lines of 't' are not measured, since they are JavaScript: --min-coverage cannot hold for them; name a task in C# with --task{Environment.NewLine}",
            run.Error
        );
        Assert.Equal(
            $"t: 1 passed, 0 failed; its lines are not measured, because it is JavaScript{Environment.NewLine}1 passed, 0 failed; no lines are measured{Environment.NewLine}",
            run.Out
        );
        Assert.DoesNotContain("coverage", File.ReadAllText(folder["r.xml"]), StringComparison.Ordinal);
    }

    [Fact]
    public async Task ControlCharactersOfAFileDoNotReachTheTerminal()
    {
        using var folder = new TestFolder();
        var file = folder.Write(
            "pipeline.yaml",
            Of("throw new InvalidOperationException(\"\\u001b[2J\");")
                .Replace(
                    "    to: files",
                    "    to: files\n    tests: [{ name: \"n\\e[31m\", document: { id: a }, expect: [] }]",
                    StringComparison.Ordinal
                )
        );
        var run = await WorkerRun.InvokeAsync("test", file);
        Assert.Contains("t: n\\u001B[31m: FAILED", run.Out);
        Assert.Contains("the transform failed: \\u001B[2J", run.Out);
        File.AppendAllText(file, "\n\"key\\e[31m\": 1\n");
        Assert.Contains("unknown key 'key\\u001B[31m'", (await WorkerRun.InvokeAsync("lint", file)).Out);
        Assert.Contains("unknown key 'key\\u001B[31m'", (await WorkerRun.InvokeAsync("test", file)).Error);
    }

    [Fact]
    public async Task TheSchemaIsPrintedAndWritten()
    {
        using var folder = new TestFolder();
        var run = await WorkerRun.InvokeAsync("schema");
        Assert.StartsWith("{\n  \"$schema\": \"http://json-schema.org/draft-07/schema#\"", run.Out);
        Assert.Equal(ExitCodes.Success, (await WorkerRun.InvokeAsync("schema", "-o", folder["s.json"])).ExitCode);
        Assert.Equal(run.Out, File.ReadAllText(folder["s.json"]));
    }

    private static string Of(string script) =>
        $"version: 1\ndatabase: {{ name: shop, path: ./data }}\nconnections: {{ files: {{ files: {{ directory: ./out }} }} }}\netl:\n  - name: t\n    from: [Things]\n    to: files\n    transform: |\n      {script.ReplaceLineEndings("\n      ")}\n";

    private static Task<string> FillAsync(TestFolder folder) => ImportAsync(folder, Configuration, Documents);

    private static Task<string> FillAsync(TestFolder folder, string script, string documents) =>
        ImportAsync(folder, Of(script), documents);

    private static async Task<string> ImportAsync(TestFolder folder, string configuration, string documents)
    {
        var file = folder.Write("pipeline.yaml", configuration);
        var imported = await WorkerRun.InvokeAsync(
            "import",
            folder.Write("documents.jsonl", documents),
            "--config",
            file
        );
        Assert.Equal(ExitCodes.Success, imported.ExitCode);
        return file;
    }
}
