using System.Globalization;
using System.Text.Json;
using Pipeline.Configuration;
using Pipeline.Hosting;
using Pipeline.TestKit.Files;
using Pipeline.WorkerKit;
using Pipeline.Yaml;
using Xunit;

namespace Pipeline.Worker.Tests.Backups;

[Collection(nameof(RestoreCommandGroup))]
public sealed class BackupCommandTests
{
    private const string Yaml = """
        version: 1
        database: { name: shop, path: ./data }
        server: { url: "http://127.0.0.1:0" }
        backups:
          - name: nightly
            to: { folder: ./bak }
            retention: { keep: 2 }
            maxAge: 1d
            maxVerifiedAge: 7d
        """;

    private static async Task<WorkerRun> ImportAsync(TestFolder folder, int from, int count)
    {
        var lines = Enumerable
            .Range(from, count)
            .Select(i => $$"""{ "N": {{i}}, "@metadata": { "@id": "things/{{i}}", "@collection": "Things" } }""");
        return await WorkerRun.InvokeAsync(
            "import",
            folder.Write($"{from}.jsonl", string.Join('\n', lines)),
            "--config",
            folder["pipeline.yaml"]
        );
    }

    [Fact]
    public async Task Run_list_verify_drill_retention_and_restore_from_the_terminal()
    {
        using var folder = new TestFolder();
        var config = folder.Write("pipeline.yaml", Yaml);
        Assert.Equal(0, (await ImportAsync(folder, 0, 100)).ExitCode);

        var run = await WorkerRun.InvokeAsync("backup", "run", "nightly", "--config", config);
        Assert.Equal("", run.Error);
        Assert.Matches(
            @"^folder .*[/\\]bak[/\\]nightly: \d{8}-\d{6}-full-\d+ \(full, since it is the first one\), position 100: ",
            run.Out
        );
        await ImportAsync(folder, 100, 50);
        await ImportAsync(folder, 150, 50);
        run = await WorkerRun.InvokeAsync("backup", "run", "nightly", "--incremental", "--config", config);
        Assert.Matches(@": \d{8}-\d{6}-incremental-\d+, position 200: ", run.Out);

        var listed = JsonDocument
            .Parse((await WorkerRun.InvokeAsync("backup", "list", "--json", "--config", config)).Out)
            .RootElement;
        Assert.Equal(
            ["Full", "Incremental"],
            listed.EnumerateArray().Select(b => b.GetProperty("backup").GetProperty("kind").GetString())
        );
        Assert.Contains("all is sound", (await WorkerRun.InvokeAsync("backup", "verify", "--config", config)).Out);
        Assert.Matches(
            "is sound: position 200, 200 documents",
            (await WorkerRun.InvokeAsync("backup", "drill", "nightly", "--config", config)).Out
        );
        var table = await WorkerRun.InvokeAsync("backup", "list", "nightly", "--config", config);
        Assert.Contains("never", table.Out.Replace("restore", "never", StringComparison.Ordinal));
        Assert.Matches(
            "stays  .*-full-.*\\(newest, 1 of 2\\)",
            (await WorkerRun.InvokeAsync("backup", "retention", "--config", config)).Out
        );

        // Without the configuration, too.
        var restored = await WorkerRun.InvokeAsync(
            "restore",
            "nightly",
            "--from",
            folder["bak"],
            "--to",
            folder["again"],
            "--position",
            "150"
        );
        Assert.Equal("", restored.Error);
        Assert.Contains("position 150", restored.Out);
        Assert.Contains("\"N\":149", (await WorkerRun.InvokeAsync("get", "things/149", "--data", folder["again"])).Out);
        Assert.Equal(
            ExitCodes.Failed,
            (await WorkerRun.InvokeAsync("get", "things/151", "--data", folder["again"])).ExitCode
        );
        Assert.Contains("all is sound", (await WorkerRun.InvokeAsync("check", "--data", folder["again"])).Out);
        var again = await WorkerRun.InvokeAsync("restore", "nightly", "--config", config, "--to", folder["again"]);
        Assert.Contains("holds a database already", again.Error);
        var beyond = await WorkerRun.InvokeAsync(
            "restore",
            "nightly",
            "--config",
            config,
            "--to",
            folder["beyond"],
            "--position",
            "999"
        );
        Assert.Equal(ExitCodes.Failed, beyond.ExitCode);
        Assert.Contains("no backup reaches position 999. Positions that can be restored: 100 to 200", beyond.Error);
        Assert.Equal(
            ExitCodes.Usage,
            (await WorkerRun.InvokeAsync("backup", "run", "other", "--config", config)).ExitCode
        );

        // What would be lost, and one collection or document.
        var preview = await WorkerRun.InvokeAsync(
            "restore",
            "nightly",
            "--config",
            config,
            "--preview",
            "--position",
            "150"
        );
        Assert.Equal("", preview.Error);
        Assert.Contains("a restore would lead to position 150", preview.Out);
        Assert.Contains("Things: 50 documents written, 0 deletions", preview.Out);
        Assert.Contains(
            "\"N\":42",
            (await WorkerRun.InvokeAsync("restore", "nightly", "--config", config, "--document", "things/42")).Out
        );
        Assert.Contains(
            "200 documents of position 200 to",
            (
                await WorkerRun.InvokeAsync(
                    "restore",
                    "nightly",
                    "--config",
                    config,
                    "--collection",
                    "things",
                    "--to",
                    folder["t.jsonl"]
                )
            ).Out
        );
        Assert.Equal(200, File.ReadLines(folder["t.jsonl"]).Count());
        Assert.Contains(
            "there is no collection 'Others'",
            (await WorkerRun.InvokeAsync("restore", "nightly", "--config", config, "--collection", "Others")).Error
        );
        Assert.Contains(
            "without indexes",
            (
                await WorkerRun.InvokeAsync(
                    "restore",
                    "nightly",
                    "--config",
                    config,
                    "--to",
                    folder["bare"],
                    "--without-indexes"
                )
            ).Out
        );
        Assert.Contains(
            "--to names the folder",
            (await WorkerRun.InvokeAsync("restore", "nightly", "--config", config)).Error
        );

        // A database restored in place of the old one continues with a new chain.
        Directory.Move(folder["data"], folder["lost"]);
        Assert.Equal(
            0,
            (await WorkerRun.InvokeAsync("restore", "nightly", "--config", config, "--to", folder["data"])).ExitCode
        );
        run = await WorkerRun.InvokeAsync("backup", "run", "nightly", "--config", config);
        Assert.Contains("before it was restored", run.Out);
    }

    [Fact]
    public async Task A_running_worker_makes_backups_and_drills_on_request_and_its_health_and_metrics_show_them()
    {
        using var folder = new TestFolder();
        var config = folder.Write("pipeline.yaml", Yaml);
        await ImportAsync(folder, 0, 20);
        await using var worker = await PipelineWorker.OpenAsync(
            new WorkerOptions { ConfigurationFile = config, Listens = true }
        );
        var url = worker.Address!.ToString();
        using var http = new HttpClient { BaseAddress = worker.Address };
        var health = await http.GetStringAsync(new Uri("/health/ready", UriKind.Relative));
        Assert.Contains("degraded", health);
        Assert.Contains("there is no backup; none was ever restored in a drill", health);

        Assert.Contains("-full-", (await WorkerRun.InvokeAsync("backup", "run", "nightly", "--url", url)).Out);
        await worker.Database.PutAsync("things/x", "{}"u8.ToArray());
        Assert.Contains("-incremental-", (await WorkerRun.InvokeAsync("backup", "run", "nightly", "--url", url)).Out);
        var drill = await WorkerRun.InvokeAsync("backup", "drill", "nightly", "--url", url);
        Assert.Matches("21 documents, 21 compared", drill.Out);
        Assert.Equal(
            $"nothing was running{Environment.NewLine}",
            (await WorkerRun.InvokeAsync("backup", "cancel", "nightly", "--url", url)).Out
        );
        Assert.Contains("\"job\": \"Drill\"", (await WorkerRun.InvokeAsync("backup", "status", "--url", url)).Out);
        Assert.Contains(
            "there is no backup 'other'",
            (await WorkerRun.InvokeAsync("backup", "run", "other", "--url", url)).Error
        );

        health = await http.GetStringAsync(new Uri("/health/ready", UriKind.Relative));
        Assert.DoesNotContain("there is no backup", health);
        var metrics = await http.GetStringAsync(new Uri("/metrics", UriKind.Relative));
        Assert.Contains("pipeline_backup_age_seconds{", metrics);
        Assert.Contains("pipeline_backup_verified_age_seconds{", metrics);
        Assert.Contains("pipeline_backup_runs_total{", metrics);
    }

    [Theory]
    [InlineData("full: \"0 0 3 * *\"", "is not a cron expression")]
    [InlineData("timeZone: Europe/Nowhere", "there is no time zone 'Europe/Nowhere'")]
    [InlineData("blackouts: [noon]", "'noon' is not a time of the day")]
    [InlineData("encryption: { keyFile: a, keyVariable: b }", "must name one source of the key, found 2")]
    [InlineData("compression: zip", "compression")]
    public void Faults_of_the_configuration_have_a_place(string line, string message)
    {
        var text = Yaml + string.Create(CultureInfo.InvariantCulture, $"\n    {line}\n");
        var error = Assert.Throws<ConfigurationException>(() =>
            PipelineConfiguration.Parse(text, "p.yaml", FixedVariables.None)
        );
        Assert.Contains(message, error.Diagnostics.Single().Message);
        Assert.Equal(10, error.Diagnostics.Single().Line);
    }

    [Theory]
    [InlineData("Europe/Berlin")]
    [InlineData("W. Europe Standard Time")]
    public void A_time_zone_has_the_name_of_either_system(string name)
    {
        var text = Yaml + string.Create(CultureInfo.InvariantCulture, $"\n    timeZone: {name}\n");
        var zone = PipelineConfiguration
            .Parse(text, "p.yaml", FixedVariables.None)
            .Backups[0]
            .ToDefinition()
            .Schedule!.TimeZone;
        Assert.Equal(TimeSpan.FromHours(1), zone.GetUtcOffset(new DateTime(2026, 1, 1, 0, 0, 0, DateTimeKind.Utc)));
        Assert.Equal(TimeSpan.FromHours(2), zone.GetUtcOffset(new DateTime(2026, 7, 1, 0, 0, 0, DateTimeKind.Utc)));
    }

    [Fact]
    public void Destinations_are_one_or_a_list_and_an_encrypted_database_does_not_go_out_plain_by_mistake()
    {
        var many = PipelineConfiguration.Parse(
            Yaml.Replace(
                "{ folder: ./bak }",
                "[{ folder: ./a }, { s3: { bucket: b, endpoint: 'http://localhost:1' } }, { azureBlob: { container: c, connectionString: UseDevelopmentStorage=true } }]",
                StringComparison.Ordinal
            ),
            "p.yaml",
            FixedVariables.None
        );
        Assert.Equal(3, many.Backups[0].ToDefinition().Destinations.Count);
        Assert.Contains(
            "must name one place",
            Assert
                .Throws<ConfigurationException>(() =>
                    PipelineConfiguration.Parse(
                        Yaml.Replace("{ folder: ./bak }", "{}", StringComparison.Ordinal),
                        "p.yaml",
                        FixedVariables.None
                    )
                )
                .Message
        );
        var encrypted = Yaml.Replace(
            "path: ./data",
            "path: ./data, encryption: { keyFile: k }",
            StringComparison.Ordinal
        );
        Assert.Contains(
            "the database is encrypted and the backup 'nightly' is not",
            Assert
                .Throws<ConfigurationException>(() =>
                    PipelineConfiguration.Parse(encrypted, "p.yaml", FixedVariables.None)
                )
                .Message
        );
        PipelineConfiguration.Parse(encrypted + "\n    plain: true\n", "p.yaml", FixedVariables.None);
    }

    [Fact]
    public async Task Backups_that_change_in_the_file_of_a_running_worker_take_effect()
    {
        using var folder = new TestFolder();
        var config = folder.Write(
            "pipeline.yaml",
            """
            version: 1
            database: { name: shop, path: ./data }
            server: { url: "http://127.0.0.1:0" }

            """
        );
        await using var worker = await PipelineWorker.OpenAsync(
            new WorkerOptions { ConfigurationFile = config, Listens = true }
        );
        var url = worker.Address!.ToString();
        Assert.Contains(
            "there are none",
            (await WorkerRun.InvokeAsync("backup", "run", "nightly", "--url", url)).Error,
            StringComparison.Ordinal
        );

        folder.Write("pipeline.yaml", Yaml);
        var plan = await worker.ApplyAsync([]);
        Assert.Equal([("nightly", "added")], plan.Backups.Select(b => (b.Name, b.Kind)));
        Assert.Empty(plan.NeedsRestart);
        var run = await WorkerRun.InvokeAsync("backup", "run", "nightly", "--url", url);
        Assert.Equal(("", 0), (run.Error, run.ExitCode));
        Assert.True(File.Exists(folder["bak/nightly/repository.json"]));

        folder.Write(
            "pipeline.yaml",
            Yaml.Replace("./bak", "./other", StringComparison.Ordinal)
                .Replace("maxAge: 1d", "stagingFolder: ./staging", StringComparison.Ordinal)
        );
        plan = await worker.ApplyAsync([]);
        Assert.Equal("changed", Assert.Single(plan.Backups).Kind);
        Assert.Contains("stagingFolder", plan.Backups[0].Note, StringComparison.Ordinal);
        Assert.Equal("", (await WorkerRun.InvokeAsync("backup", "run", "nightly", "--url", url)).Error);
        Assert.True(File.Exists(folder["other/nightly/repository.json"]));
        Assert.Equal(folder["staging"], Assert.Single(worker.Backups.Definitions).StagingFolder);
        Assert.True((await worker.ApplyAsync([])).IsEmpty);

        folder.Write(
            "pipeline.yaml",
            """
            version: 1
            database: { name: shop, path: ./data }
            server: { url: "http://127.0.0.1:0" }

            """
        );
        Assert.Equal("removed", Assert.Single((await worker.ApplyAsync([])).Backups).Kind);
        Assert.Empty(worker.Backups.GetStatus());
    }

    [Fact]
    public async Task A_folder_with_half_a_restore_is_no_empty_database_for_a_worker()
    {
        using var folder = new TestFolder();
        folder.Write("data/pipeline.data.restoring", "half");
        var run = await WorkerRun.InvokeAsync("import", folder.Write("a.jsonl", "{}"), "--data", folder["data"]);
        Assert.NotEqual(0, run.ExitCode);
        Assert.Contains("a restore into it was broken off", run.Error, StringComparison.Ordinal);
    }
}
