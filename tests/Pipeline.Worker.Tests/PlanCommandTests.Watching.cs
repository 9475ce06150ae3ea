using Microsoft.Extensions.Logging.Abstractions;
using Pipeline.Configuration;
using Pipeline.Etl.Records;
using Pipeline.Hosting;
using Pipeline.TestKit.Time;
using Pipeline.Yaml;
using Xunit;
using DatabaseChangeFeed = Pipeline.Subscriptions.DatabaseChangeFeed;

namespace Pipeline.Worker.Tests;

/// <content>A watched file.</content>
public sealed partial class PlanCommandTests
{
    [Fact]
    public async Task AWatchedFileIsAppliedWhenItHasSettledAndABrokenOneChangesNothingAndIsTriedAgain()
    {
        var file = Write("send(\"things\", doc.N);", gone: true, more: Watched);
        var running = PipelineConfiguration.Load(file, EnvironmentVariables.Instance);
        var applied = new List<string>();
        var time = new ManualTimeProvider();
        var watch = new ConfigurationWatch(
            () => running,
            time,
            NullLogger.Instance,
            async ct =>
            {
                applied.Add(await File.ReadAllTextAsync(file, ct));
                running = PipelineConfiguration.Load(file, EnvironmentVariables.Instance);
            }
        );
        await LookAsync(watch, 3);
        Assert.Empty(applied);
        Write("send(\"things\", 2);", gone: true, more: Watched);
        await LookAsync(watch, 1);
        Assert.Empty(applied);
        await LookAsync(watch, 3);
        Assert.Single(applied);
        await File.WriteAllTextAsync(file, "broken");
        await LookAsync(watch, 5);
        Assert.Equal(2, applied.Count);
        time.Advance(ConfigurationWatch.FirstWait);
        await LookAsync(watch, 2);
        Assert.Equal(3, applied.Count);
        time.Advance(ConfigurationWatch.FirstWait);
        await LookAsync(watch, 2);
        Assert.Equal(3, applied.Count);

        // What is wrong lies outside the text.
        File.Delete(file);
        await LookAsync(watch, 3);
        Write("send(\"things\", 3);", gone: true, more: Watched + "import: [\"${file:token}\"]\n");
        await LookAsync(watch, 3);
        Assert.Equal(4, applied.Count);
        Assert.Empty(running.Import);
        _folder.Write("token", "name.jsonl");
        time.Advance(ConfigurationWatch.FirstWait);
        await LookAsync(watch, 1);
        Assert.Single(running.Import);
        time.Advance(ConfigurationWatch.LongestWait);
        await LookAsync(watch, 3);
        Assert.Equal(5, applied.Count);
    }

    [Fact]
    public async Task WatchIsSwitchedWhileTheWorkerRunsAndAChangeBeforeItRunsIsTaken()
    {
        string Write(bool watch, string more = "") =>
            _folder.Write(
                "pipeline.yaml",
                $$"""
                version: 1
                database: { name: shop, path: ./data }
                watch: {{(watch ? "true" : "false")}}
                {{more}}
                """
            );
        var file = Write(watch: true);
        var time = new ManualTimeProvider();
        await using var worker = await PipelineWorker.OpenAsync(
            new WorkerOptions { ConfigurationFile = file, Time = time }
        );
        using var stop = new CancellationTokenSource();
        Write(watch: true, "helpers: { one: 'static int One = 1;' }");
        var work = worker.RunAsync(stop.Token);
        await AdvanceAsync(time, () => worker.Configuration.Helpers.ContainsKey("one"));

        Write(watch: false);
        await AdvanceAsync(time, () => !worker.Configuration.Watch);
        Write(watch: true);
        for (var i = 0; i < 5; i++)
        {
            time.Advance(ConfigurationWatch.Interval);
            await Task.Yield();
        }
        Assert.False(worker.Configuration.Watch);
        Assert.Equal([new SettingChange("watch", null, "true")], (await worker.PlanAsync(0, [])).Settings);
        Assert.Single((await worker.ApplyAsync([])).Settings);
        Write(watch: true, "helpers: { two: 'static int Two = 2;' }");
        await AdvanceAsync(time, () => worker.Configuration.Helpers.ContainsKey("two"));
        await stop.CancelAsync();
        await work;
    }

    /// <summary>Moves the clock until something has happened.</summary>
    private static async Task AdvanceAsync(ManualTimeProvider time, Func<bool> happened)
    {
        using var timeout = new CancellationTokenSource(TimeSpan.FromMinutes(2));
        while (!happened())
        {
            time.Advance(ConfigurationWatch.Interval);
            await Task.Delay(5, timeout.Token);
        }
    }

    private static async Task LookAsync(ConfigurationWatch watch, int times)
    {
        for (var i = 0; i < times; i++)
            await watch.LookAsync(CancellationToken.None);
    }
}
