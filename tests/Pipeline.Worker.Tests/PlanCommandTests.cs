using System.Text;
using System.Text.Json;
using Pipeline.Configuration;
using Pipeline.Etl.Configuration;
using Pipeline.Etl.Records;
using Pipeline.Hosting;
using Pipeline.TestKit.Files;
using Pipeline.WorkerKit;
using Pipeline.Yaml;
using Pipeline.Yaml.Secrets;
using Xunit;
using DatabaseChangeFeed = Pipeline.Subscriptions.DatabaseChangeFeed;

namespace Pipeline.Worker.Tests;

/// <summary><c>pipeline plan</c> and <c>pipeline apply</c>, and a file that is watched.</summary>
public sealed partial class PlanCommandTests : IDisposable
{
    private const string Watched = "watch: true\n";
    private readonly TestFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public async Task AFolderAndARunningWorkerSayWhatAFileWouldChangeAndTheWorkerTakesItOver()
    {
        var file = Write("send(\"things\", new { doc.N });", gone: true);
        using (var filled = await OpenAsync(file))
        {
            for (var i = 0; i < 4; i++)
            {
                await filled.Worker.Database.PutAsync(
                    $"things/{i}",
                    Encoding.UTF8.GetBytes($$$"""{"N":{{{i}}},"@metadata":{"@collection":"Things"}}""")
                );
            }
        }

        using (var filled = await OpenAsync(file))
        {
            await filled.Worker.RunOnceAsync();
            await filled.Worker.Database.PutAsync(
                "things/9",
                "{\"N\":9,\"@metadata\":{\"@collection\":\"Things\"}}"u8.ToArray()
            );
        }

        var same = await WorkerRun.InvokeAsync("plan", "-c", file);
        Assert.Equal("", same.Error);
        Assert.Contains("  task t: unchanged", same.Out, StringComparison.Ordinal);
        Write(
            "send(\"things\", new { N = doc.N > 1 ? doc.N : -1 }); // v2",
            gone: false,
            more: "  - { name: new, from: [Things], to: out, transform: 'send(\"new\", id);' }\n",
            index: true
        );
        var folder = (await WorkerRun.InvokeAsync("plan", "-c", file)).Out;
        foreach (
            var text in new[]
            {
                "~ task t: keeps position 4",
                "transform: changed",
                "tried on 5 documents: 2 give different messages",
                "-     \"N\": 0",
                "+     \"N\": -1",
                "+ task new: begins at the beginning; about 5 changes wait",
                "- task gone: stops; position 4 stays known",
                "apply --keep keeps it",
                "+ index Things/ByN: added",
                "4 to change",
            }
        )
        {
            Assert.True(folder.Contains(text, StringComparison.Ordinal), $"no '{text}' in:\n{folder}");
        }

        Write("send(\"things\", new { doc.N });", gone: true);
        using var running = await OpenAsync(file);
        using var stop = new CancellationTokenSource();
        var work = running.Worker.RunAsync(stop.Token);
        var url = running.Worker.Address!.ToString();
        Assert.Contains(
            "nothing to change",
            (await WorkerRun.InvokeAsync("plan", "--url", url)).Out,
            StringComparison.Ordinal
        );
        Write("send(\"things\", new { N = -doc.N });", gone: false, index: true);
        Assert.Contains("~ task t", (await WorkerRun.InvokeAsync("plan", "--url", url)).Out, StringComparison.Ordinal);
        var applied = await WorkerRun.InvokeAsync("apply", "--url", url);
        Assert.Contains("- task gone: stopped", applied.Out, StringComparison.Ordinal);
        Assert.Equal(["t"], running.Worker.GetTasks().Select(t => t.Name));
        Assert.DoesNotContain(running.Worker.Database.Consumers.List(), c => c.Name == "etl/gone");
        Assert.Contains(running.Worker.Database.Indexes.List(), i => i.Name == "Things/ByN");
        Assert.Contains(
            "nothing to change",
            (await WorkerRun.InvokeAsync("plan", "--url", url)).Out,
            StringComparison.Ordinal
        );

        Write("send(things, doc.N);", gone: false);
        var broken = await WorkerRun.InvokeAsync("apply", "--url", url);
        Assert.Contains("the configuration has faults; nothing was changed", broken.Error, StringComparison.Ordinal);
        Assert.Contains("'things' does not exist", broken.Error, StringComparison.Ordinal);
        Assert.Equal(["t"], running.Worker.GetTasks().Select(t => t.Name));

        var top = await WorkerRun.InvokeAsync("top", "--url", url);
        Assert.Contains("docs/s", top.Out, StringComparison.Ordinal);
        Assert.Equal(
            "files",
            JsonDocument
                .Parse((await WorkerRun.InvokeAsync("top", "--json", "--url", url)).Out)
                .RootElement[0]
                .GetProperty("kind")
                .GetString()
        );
        await stop.CancelAsync();
        await work;
    }

    [Fact]
    public async Task NoPlanAndNoFileOfTheDatabaseHoldsASecretAndAChangedOneIsToldOf()
    {
        _folder.Write("tok", "supersecrettoken1");
        _folder.Write("pin", "q7z");
        _folder.Write("documents.jsonl", """{"A":1,"@metadata":{"@id":"as/1","@collection":"As"}}""" + "\n");
        var file = _folder.Write(
            "pipeline.yaml",
            """
            version: 1
            database: { name: shop, path: ./data }
            import: [documents.jsonl]
            server: { url: "http://127.0.0.1:0" }
            connections: { out: { files: { directory: ./out } } }
            etl:
              - name: t
                from: [As]
                to: out
                source: "/shop/${file:tok}"
                destinations: { x: { headers: { auth: "${file:tok}", pin: "${file:pin}", plain: blue } } }
                transform: send("x", doc);
            """
        );
        Assert.Equal(ExitCodes.Success, (await WorkerRun.InvokeAsync("run", "-c", file, "--once")).ExitCode);
        Assert.Contains(
            "nothing to change",
            (await WorkerRun.InvokeAsync("plan", "-c", file)).Out,
            StringComparison.Ordinal
        );
        var output = new List<string>();
        async Task CheckAsync(params string[] arguments)
        {
            var run = await WorkerRun.InvokeAsync(arguments);
            output.Add(run.Out + run.Error);
        }

        using (var running = await OpenAsync(file))
        {
            _folder.Write("tok", "supersecrettoken2");
            _folder.Write("pin", "q8z");
            var url = running.Worker.Address!.ToString();
            await CheckAsync("plan", "--url", url);
            await CheckAsync("plan", "--json", "--url", url);
        }
        await CheckAsync("plan", "-c", file);
        await CheckAsync("plan", "--json", "-c", file);
        foreach (var text in output)
        {
            foreach (var secret in new[] { "supersecret", "q7z", "q8z" })
                Assert.False(text.Contains(secret, StringComparison.Ordinal), $"{secret} is in:\n{text}");
            if (text.StartsWith('{'))
                continue;
            foreach (
                var line in new[]
                {
                    "destinations.x.headers.auth: *** → *** (changed)" + Environment.NewLine,
                    "destinations.x.headers.pin: *** → *** (changed)" + Environment.NewLine,
                    "source: /shop/*** → /shop/*** (changed)" + Environment.NewLine,
                    "tried on 1 documents: 1 give different",
                    "-   source: \"/shop/*** (before)\"",
                    "+   source: \"/shop/***\"",
                }
            )
            {
                Assert.True(text.Contains(line, StringComparison.Ordinal), $"no '{line}' in:\n{text}");
            }

            Assert.DoesNotContain("plain", text, StringComparison.Ordinal);
        }

        foreach (var data in Directory.EnumerateFiles(_folder["data"], "*", SearchOption.AllDirectories))
        {
            var bytes = Encoding.Latin1.GetString(await File.ReadAllBytesAsync(data));
            Assert.False(
                bytes.Contains("supersecret", StringComparison.Ordinal)
                    || bytes.Contains("q7z", StringComparison.Ordinal),
                $"a secret is in {data}"
            );
        }
    }

    [Fact]
    public async Task TransformsInJavaScriptAreComparedWithThoseOfBefore()
    {
        _folder.Write("documents.jsonl", """{"N":1,"@metadata":{"@id":"things/1","@collection":"Things"}}""" + "\n");
        string Write(string transform) =>
            this.Write(transform, gone: false, more: "    language: javascript\nimport: [documents.jsonl]\n");
        var file = Write("loadToThings({ N: this.N });");
        await WorkerRun.InvokeAsync("run", "-c", file, "--once");
        Write("loadToThings({ N: this.N + 1 });");
        var plan = (await WorkerRun.InvokeAsync("plan", "-c", file)).Out;
        Assert.Contains("tried on 1 documents: 1 give different messages", plan, StringComparison.Ordinal);
        Assert.Contains("-     N: 1", plan.Replace("\"", "", StringComparison.Ordinal), StringComparison.Ordinal);
    }

    [Fact]
    public async Task ATransformOfBeforeThatDoesNotCompileAnyMoreIsSaidToBeOne()
    {
        _folder.Write("documents.jsonl", """{"N":1,"@metadata":{"@id":"things/1","@collection":"Things"}}""" + "\n");
        var file = Write("send(\"things\", doc.N);", gone: false, more: "import: [documents.jsonl]\n");
        await WorkerRun.InvokeAsync("run", "-c", file, "--once");
        var configuration = PipelineConfiguration.Load(file, EnvironmentVariables.Instance);
        using (var filled = await OpenAsync(file))
        {
            var old = new EtlTaskConfiguration
            {
                Name = "t",
                From = ["Things"],
                To = "out",
                Transform = new ScriptText("nonsense();"),
            };
            await TaskRecord.StoreAsync(
                new DatabaseChangeFeed(filled.Worker.Database),
                old,
                configuration.Connections["out"],
                CancellationToken.None
            );
        }

        var plan = (await WorkerRun.InvokeAsync("plan", "-c", file)).Out;
        Assert.Contains(
            "tried on 1 documents; their earlier messages are unknown: the old transform:1:1: transform of 't': CS0103",
            plan,
            StringComparison.Ordinal
        );
        Assert.DoesNotContain("give different messages", plan, StringComparison.Ordinal);
        Assert.Contains(
            "\"oldProblem\": \"the old transform",
            (await WorkerRun.InvokeAsync("plan", "--json", "-c", file)).Out,
            StringComparison.Ordinal
        );
    }

    [Fact]
    public void ARecordGivesTheTaskBack()
    {
        var task = new EtlTaskConfiguration
        {
            Name = "t",
            From = ["Big, small", "Other"],
            To = "out",
            Transform = new ScriptText("x"),
            Language = ScriptLanguage.JavaScript,
            OnDelete = DeletePolicy.Tombstone,
            Source = "/s",
        };
        var record = TaskRecord.Of(task, null, SecretValues.None, null);
        var old = record.ToTask(task, record);
        Assert.Equal(task.From, old.From);
        Assert.Equal((task.Language, task.OnDelete, task.Source), (old.Language, old.OnDelete, old.Source));
        var split = new EtlTaskConfiguration
        {
            Name = "t",
            From = ["Big", "small", "Other"],
            To = "out",
            Transform = new ScriptText("x"),
        };
        Assert.Contains(
            record.Compare(TaskRecord.Of(split, null, SecretValues.None, record.Salt), t => t),
            c => c is { Path: "from", Old: "[\"Big, small\", Other]", New: "[Big, small, Other]" }
        );
    }

    [Fact]
    public async Task AWorkerWhoseFileHasFaultsEndsPlanAndApplyAsALocalFileDoes()
    {
        var file = Write("send(\"things\", doc.N);", gone: false);
        using var running = await OpenAsync(file);
        Write("nonsense();", gone: false);
        var url = running.Worker.Address!.ToString();
        Assert.Equal(ExitCodes.Usage, (await WorkerRun.InvokeAsync("plan", "--url", url)).ExitCode);
        Assert.Equal(ExitCodes.Usage, (await WorkerRun.InvokeAsync("apply", "--url", url)).ExitCode);
    }

    [Fact]
    public async Task ABoostOfAnIndexIsAChangeThatBuildsNothing()
    {
        string Write(string boost) =>
            _folder.Write(
                "pipeline.yaml",
                $$"""
                version: 1
                database: { name: shop, path: ./data }
                indexes: [{ name: Things/ByN, maps: ['from t in docs.Things select new { t.N }'], fields: { N: { boost: {{boost}} } } }]
                """
            );
        var file = Write("1.5");
        (await OpenAsync(file)).Dispose();
        Assert.Contains(
            "nothing to change",
            (await WorkerRun.InvokeAsync("plan", "-c", file)).Out,
            StringComparison.Ordinal
        );
        Write("2");
        Assert.Contains(
            "~ index Things/ByN: changed, takes effect at once",
            (await WorkerRun.InvokeAsync("plan", "-c", file)).Out,
            StringComparison.Ordinal
        );
    }

    private string Write(string transform, bool gone, string more = "", bool index = false) =>
        _folder.Write(
            "pipeline.yaml",
            $"""
            version: 1
            database: {"{"} name: shop, path: ./data {"}"}
            connections: {"{"} out: {"{"} files: {"{"} directory: ./out {"}"} {"}"} {"}"}
            server: {"{"} url: "http://127.0.0.1:0" {"}"}
            {(index ? "indexes: [{ name: Things/ByN, maps: ['from t in docs.Things select new { t.N }'] }]" : "")}
            etl:
              - name: t
                from: [Things]
                to: out
                transform: |
                  {transform}
            {(gone ? "  - { name: gone, from: [Things], to: out, transform: 'send(\"gone\", id);' }\n" : "")}{more}
            """
        );

    private static async Task<Opened> OpenAsync(string file) =>
        new(await PipelineWorker.OpenAsync(new WorkerOptions { ConfigurationFile = file, Listens = true }));

    private sealed record Opened(PipelineWorker Worker) : IDisposable
    {
        public void Dispose() => Worker.DisposeAsync().AsTask().GetAwaiter().GetResult();
    }
}
