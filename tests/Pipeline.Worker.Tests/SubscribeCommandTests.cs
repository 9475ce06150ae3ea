using System.Text.Json;
using Pipeline.Hosting;
using Pipeline.TestKit.Files;
using Pipeline.WorkerKit;
using Xunit;

namespace Pipeline.Worker.Tests;

/// <summary>Subscriptions as a user sees them: in YAML and at the terminal.</summary>
public sealed class SubscribeCommandTests : IDisposable
{
    private readonly TestFolder _folder = new();
    private readonly string _file;

    public SubscribeCommandTests() =>
        _file = _folder.Write(
            "pipeline.yaml",
            """
            version: 1
            database: { name: shop, path: ./data }
            subscriptions:
              - { name: american, query: "from Companies where Address.Country = 'USA'" }
              - { name: orders, collections: [Orders], filter: "doc.Freight > 500", projection: "new { Id = id, doc.Freight }" }
            """
        );

    private static int American =>
        NorthwindFile
            .Read()
            .Count(d =>
                NorthwindFile.Collection(d) == "Companies"
                && d.TryGetProperty("Address", out var address)
                && address.TryGetProperty("Country", out var country)
                && country.GetString() == "USA"
            );

    /// <summary>A program that reads a batch and fails.</summary>
    internal static string Failing =>
        Copying + (OperatingSystem.IsWindows() ? " > nul & exit 3" : " > /dev/null; exit 3");

    /// <summary>A program that writes the objects that it reads.</summary>
    private static string Copying => OperatingSystem.IsWindows() ? "findstr {" : "cat";

    public void Dispose() => _folder.Dispose();

    [Fact]
    public async Task AProgramGetsEachBatchAsJsonLinesAndItsExitCodeAcknowledges()
    {
        await WorkerRun.InvokeAsync("import", NorthwindFile.Path, "--config", _file);
        var output = _folder["lines"];
        var failing = Failing;
        var appending = $"{Copying} >> \"{output}\"";

        var failed = await WorkerRun.InvokeAsync(
            "subscribe",
            "american",
            "--until-empty",
            "--exec",
            failing,
            "--config",
            _file
        );
        Assert.Equal(ExitCodes.Failed, failed.ExitCode);
        Assert.Contains(
            $"'{failing}' exited with 3; its batch is not acknowledged and will be delivered again",
            failed.Error,
            StringComparison.Ordinal
        );

        var run = await WorkerRun.InvokeAsync(
            "subscribe",
            "american",
            "--until-empty",
            "--batch",
            "4",
            "--exec",
            appending,
            "--config",
            _file
        );
        Assert.Equal(ExitCodes.Success, run.ExitCode);
        Assert.True(American > 4);
        Assert.Equal($"{American} changes acknowledged{Environment.NewLine}", run.Error);
        var documents = File.ReadLines(output).Select(l => JsonDocument.Parse(l).RootElement).ToList();
        Assert.Equal(American, documents.Select(NorthwindFile.Id).Distinct().Count());
        Assert.All(documents, d => Assert.Equal("USA", d.GetProperty("Address").GetProperty("Country").GetString()));

        var again = await WorkerRun.InvokeAsync("subscribe", "american", "--until-empty", "--config", _file);
        Assert.Equal(($"0 changes acknowledged{Environment.NewLine}", ""), (again.Error, again.Out));
        var moved = await WorkerRun.InvokeAsync(
            "subscription",
            "move",
            "american",
            "--to",
            "beginning",
            "--config",
            _file
        );
        Assert.Equal($"subscription 'american' is moved{Environment.NewLine}", moved.Out);
        Assert.Equal(
            American,
            (await WorkerRun.InvokeAsync("subscribe", "american", "--until-empty", "--config", _file))
                .Out.Split('\n', StringSplitOptions.RemoveEmptyEntries)
                .Length
        );
    }

    [SkippableFact]
    public async Task AnInterruptionEndsTheProgramAndItsBatchIsGivenAgain()
    {
        Skip.If(OperatingSystem.IsWindows(), "The program is a shell's script.");
        await WorkerRun.InvokeAsync("import", NorthwindFile.Path, "--config", _file);
        var id = _folder["id"];
        using var stop = new CancellationTokenSource();
        var running = WorkerRun.InvokeAsync(
            [
                "subscribe",
                "american",
                "--batch",
                "4",
                "--exec",
                $"if [ -e {id} ]; then echo $$ >> {id}; exec sleep 600; fi; touch {id}",
                "--config",
                _file,
            ],
            stop.Token
        );
        using var late = new CancellationTokenSource(TimeSpan.FromMinutes(1));
        while (!File.Exists(id) || !int.TryParse((await File.ReadAllTextAsync(id, late.Token)).Trim(), out _))
            await Task.Delay(5, late.Token);
        await stop.CancelAsync();
        var run = await running;
        Assert.Equal(
            (ExitCodes.Interrupted, $"4 changes acknowledged{Environment.NewLine}"),
            (run.ExitCode, run.Error)
        );
        var program = int.Parse(
            await File.ReadAllTextAsync(id, late.Token),
            System.Globalization.CultureInfo.InvariantCulture
        );
        while (Directory.Exists($"/proc/{program}"))
            await Task.Delay(5, late.Token);
        var rest = await WorkerRun.InvokeAsync("subscribe", "american", "--until-empty", "--config", _file);
        Assert.Equal($"{American - 4} changes acknowledged{Environment.NewLine}", rest.Error);
    }

    [Fact]
    public async Task VersionsAndIncludesGoToTheProgram()
    {
        var file = _folder.Write(
            "versions.yaml",
            """
            version: 1
            database: { name: shop, path: ./versions, revisions: { collections: { Orders: { keep: 1 } } } }
            subscriptions:
              - { name: included, query: "from Orders where Freight > 500 include Company" }
              - { name: versions, collections: [Orders], revisions: true }
            """
        );
        await WorkerRun.InvokeAsync("import", NorthwindFile.Path, "--config", file);
        var tried = await WorkerRun.InvokeAsync(
            "subscription",
            "try",
            "--query",
            "from Orders (Revisions = true) where Current.Freight > 500 include Current.Company",
            "--last",
            "1000",
            "--config",
            file
        );
        Assert.Equal(ExitCodes.Success, tried.ExitCode);
        Assert.StartsWith(
            "{\"@includes\":{\"companies/",
            tried.Out.Split('\n', StringSplitOptions.RemoveEmptyEntries)[^1],
            StringComparison.Ordinal
        );

        var included = await WorkerRun.InvokeAsync(
            "subscribe",
            "included",
            "--until-empty",
            "--batch",
            "3",
            "--exec",
            Copying,
            "--config",
            file
        );
        var lines = included
            .Out.Split('\n', StringSplitOptions.RemoveEmptyEntries)
            .Select(l => JsonDocument.Parse(l).RootElement)
            .ToList();
        var includes = lines.Where(l => l.TryGetProperty("@includes", out _)).ToList();
        Assert.Equal((lines.Count - includes.Count + 2) / 3, includes.Count);
        Assert.All(
            lines.Except(includes).Take(3),
            l =>
                Assert.Equal(
                    l.GetProperty("Company").GetString(),
                    includes[0]
                        .GetProperty("@includes")
                        .GetProperty(l.GetProperty("Company").GetString()!)
                        .GetProperty("@metadata")
                        .GetProperty("@id")
                        .GetString(),
                    ignoreCase: true
                )
        );

        var versions = await WorkerRun.InvokeAsync("subscribe", "versions", "--until-empty", "--config", file);
        Assert.All(
            versions.Out.Split('\n', StringSplitOptions.RemoveEmptyEntries),
            l => Assert.Equal(JsonValueKind.Null, JsonDocument.Parse(l).RootElement.GetProperty("Previous").ValueKind)
        );
    }

    [Fact]
    public async Task ARunningWorkerMakesThemAndShowsWhereTheyStand()
    {
        var file = _folder.Write(
            "served.yaml",
            await File.ReadAllTextAsync(_file)
                + $"\nimport: ['{NorthwindFile.Path}']\nserver: {{ url: 'http://127.0.0.1:0' }}\n"
        );
        await using var worker = await PipelineWorker.OpenAsync(
            new WorkerOptions { ConfigurationFile = file, Listens = true }
        );
        await using var consumer = await worker.Subscriptions.ConnectAsync("orders");
        var batch = (await consumer.NextAsync())!;
        var run = await WorkerRun.InvokeAsync("subscriptions", "--url", worker.Address!.ToString());
        Assert.Equal(("", ExitCodes.Success), (run.Error, run.ExitCode));
        Assert.Matches("american .* waiting ", run.Out);
        Assert.Matches($"orders .* connected .* {batch.Count} ", run.Out);
        var json = JsonDocument
            .Parse((await WorkerRun.InvokeAsync("subscriptions", "--json", "--url", worker.Address!.ToString())).Out)
            .RootElement;
        Assert.Equal(batch.Count, json[1].GetProperty("inFlight").GetInt32());
        await batch.AcknowledgeAsync();
        Assert.Equal(
            NorthwindFile
                .Read()
                .Count(d => NorthwindFile.Collection(d) == "Orders" && d.GetProperty("Freight").GetDouble() > 500),
            batch.Count
        );
    }

    [Fact]
    public async Task TryShowsWhatAFilterWouldGiveAndMakesNothing()
    {
        var data = _folder["tried"];
        await WorkerRun.InvokeAsync("import", NorthwindFile.Path, "--data", data);
        var run = await WorkerRun.InvokeAsync(
            "subscription",
            "try",
            "--query",
            "from Companies where Address.Country = 'USA'",
            "--last",
            "500",
            "--data",
            data
        );
        Assert.Equal(American, run.Out.Split('\n', StringSplitOptions.RemoveEmptyEntries).Length);
        Assert.Equal($"{American} of 91 tested documents would be delivered{Environment.NewLine}", run.Error);
        Assert.Equal(
            $"no subscriptions{Environment.NewLine}",
            (await WorkerRun.InvokeAsync("subscriptions", "--data", data)).Out
        );
        var wrong = await WorkerRun.InvokeAsync("subscription", "try", "--filter", "doc.Total >", "--data", data);
        Assert.Equal(ExitCodes.Usage, wrong.ExitCode);
    }

    [Theory]
    [InlineData("{ name: a b }", "letters, digits, '-', '_', '.' and '/' are allowed")]
    [InlineData("{ name: s, query: 'from Orders order by Freight' }", "4:45: ")]
    [InlineData(
        "{ name: s, query: 'from Orders', filter: 'true' }",
        "4:46: subscription 's': it has a query and a filter; give either"
    )]
    [InlineData("{ name: s, filter: 'doc.X >' }", "4:32: ")]
    public async Task AWrongOneIsAnErrorOfTheFile(string subscription, string expected)
    {
        var file = _folder.Write(
            "wrong.yaml",
            $"version: 1\ndatabase: {{ name: shop, path: ./data }}\nsubscriptions:\n  - {subscription}\n"
        );
        var run = await WorkerRun.InvokeAsync("lint", file);
        Assert.Equal(ExitCodes.Usage, run.ExitCode);
        Assert.Contains(expected, run.Out + run.Error, StringComparison.Ordinal);
    }
}
