using Pipeline.TestKit.Files;
using Pipeline.WorkerKit;
using Pipeline.Yaml;
using Xunit;

namespace Pipeline.Worker.Tests;

public sealed class PipelineRunnerTests
{
    [Fact]
    public async Task The_tasks_send_what_was_imported_and_the_summary_says_so()
    {
        using var folder = new TestFolder();
        File.Copy(NorthwindFile.Path, folder["northwind.jsonl"]);
        File.Copy(Path.Combine(NorthwindFile.SampleFolder, "pipeline.yaml"), folder["pipeline.yaml"]);
        await using var runner = await PipelineRunner.OpenAsync(
            new RunnerOptions
            {
                ConfigurationFile = folder["pipeline.yaml"],
                Variables = new FixedVariables(new Dictionary<string, string>()),
            }
        );

        var summary = await runner.RunOnceAsync();

        Assert.True(summary.Succeeded);
        Assert.Equal(3581, summary.Tasks.Sum(t => t.Messages));
        Assert.Equal(2155, OpenFile.ReadLines(folder["out/order-lines.jsonl"]).Count);
        var lines = summary.ToText().Split(Environment.NewLine, StringSplitOptions.RemoveEmptyEntries);
        Assert.Equal(
            [
                "task             state  documents  messages  dead letters  position",
                "big-orders       done         830",
            ],
            [lines[0][..lines[0].IndexOf("    time", StringComparison.Ordinal)].TrimEnd(), lines[1][..33]]
        );
        Assert.StartsWith("1,051 documents in 'northwind' (1,051 imported now), position 1,051, ", lines[^1]);
    }

    [Fact]
    public async Task A_second_run_sends_only_what_has_changed_since()
    {
        using var folder = new TestFolder();
        var options = new RunnerOptions { ConfigurationFile = Configure(folder, "") };
        folder.Write("things.jsonl", RunOnceTests.Things(3));
        await using (var first = await PipelineRunner.OpenAsync(options))
        {
            await first.RunOnceAsync();
            await first.Database.PutAsync("things/4", """{"N":4,"@metadata":{"@collection":"Things"}}"""u8.ToArray());
        }

        await using var runner = await PipelineRunner.OpenAsync(options);
        var second = await runner.RunOnceAsync();

        Assert.Equal(0, second.Imported);
        Assert.Equal(1, second.Tasks[0].Messages);
        Assert.Equal(4, OpenFile.ReadLines(folder["out/out.jsonl"]).Count);
    }

    [Fact]
    public async Task A_run_out_of_time_says_that_it_timed_out_and_stores_its_progress()
    {
        using var folder = new TestFolder();
        var config = Configure(folder, "");
        folder.Write("things.jsonl", RunOnceTests.Things(3));
        await using var runner = await PipelineRunner.OpenAsync(new RunnerOptions { ConfigurationFile = config });

        var summary = await runner.RunOnceAsync(TimeSpan.Zero);

        Assert.True(summary.TimedOut);
        Assert.False(summary.Succeeded);
        Assert.Contains("the timeout (--timeout) expired", summary.ToText(), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("actors: { start: 'X, Y' }\n", "actors")]
    [InlineData("cluster: { name: shop, node: a, url: 'http://127.0.0.1:1', log: { directory: ./log } }\n", "cluster")]
    public async Task A_section_that_needs_a_worker_is_refused_before_anything_is_opened(string section, string name)
    {
        using var folder = new TestFolder();
        var config = Configure(folder, section);

        var e = await Assert.ThrowsAsync<WorkerException>(() =>
            PipelineRunner.OpenAsync(new RunnerOptions { ConfigurationFile = config })
        );

        Assert.Equal(
            $"{config}: the section '{name}' needs a worker; use PipelineWorker of Pipeline.Hosting",
            e.Message
        );
        Assert.False(Directory.Exists(folder["data"]));
    }

    [Fact]
    public async Task A_missing_import_names_the_file_and_the_next_open_imports_it()
    {
        using var folder = new TestFolder();
        var options = new RunnerOptions { ConfigurationFile = Configure(folder, "") };

        var e = await Assert.ThrowsAsync<WorkerException>(() => PipelineRunner.OpenAsync(options));

        Assert.Equal($"the import file {folder["things.jsonl"]} does not exist", e.Message);
        folder.Write("things.jsonl", RunOnceTests.Things(2));
        await using var runner = await PipelineRunner.OpenAsync(options);
        Assert.Equal(2, (await runner.RunOnceAsync()).Imported);
    }

    private static string Configure(TestFolder folder, string section)
    {
        var file = RunOnceTests.Configure(folder, """send("out", new { doc.N });""");
        File.AppendAllText(file, "\n" + section);
        return file;
    }
}
