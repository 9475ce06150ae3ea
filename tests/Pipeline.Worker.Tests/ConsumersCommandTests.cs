using System.Text.Json;
using Pipeline.Hosting;
using Pipeline.Subscriptions;
using Pipeline.TestKit.Files;
using Pipeline.WorkerKit;
using Xunit;

namespace Pipeline.Worker.Tests;

/// <summary><c>pipeline consumers</c>, and <c>pipeline subscription</c> at a running worker.</summary>
public sealed class ConsumersCommandTests : IDisposable
{
    private readonly TestFolder _folder = new();

    /// <summary>The data that a task with <c>dependsOn</c> keeps in addition to its position.</summary>
    private static readonly string[] KeptStates = ["etl-task/gone", "etl-loads/gone/", "etl-loaded-by/gone/"];

    public void Dispose() => _folder.Dispose();

    [Fact]
    public async Task ATaskThatWasTakenOutIsForgottenAndItsTombstonesGo()
    {
        var file = Write(gone: true);
        await using (var worker = await OpenAsync(file))
        {
            await worker.Database.PutAsync(
                "things/1",
                "{\"N\":1,\"@metadata\":{\"@collection\":\"Things\"}}"u8.ToArray()
            );
        }

        await using (var worker = await OpenAsync(file))
        {
            await worker.RunOnceAsync();
            using (var kept = worker.Database.OpenSnapshot())
                Assert.All(KeptStates, prefix => Assert.NotEmpty(kept.GetStates(prefix)));
            await worker.Database.DeleteAsync("things/1");
            await worker.Database.PutAsync(
                "things/2",
                "{\"N\":2,\"@metadata\":{\"@collection\":\"Things\"}}"u8.ToArray()
            );
            Assert.Equal(0, await worker.Database.Consumers.PurgeAsync());
        }

        Write(gone: false);
        var list = await WorkerRun.InvokeAsync("consumers", "list", "-c", file);
        Assert.Equal("", list.Error);
        Assert.Contains("etl/gone", list.Out, StringComparison.Ordinal);
        var json = JsonDocument
            .Parse((await WorkerRun.InvokeAsync("consumers", "list", "--json", "-c", file)).Out)
            .RootElement;
        Assert.Equal(
            1,
            json.EnumerateArray()
                .Single(c => c.GetProperty("name").GetString() == "etl/gone")
                .GetProperty("heldTombstones")
                .GetInt32()
        );
        var used = await WorkerRun.InvokeAsync("consumers", "remove", "etl/T", "-c", file);
        Assert.Equal(
            (ExitCodes.Failed, true),
            (used.ExitCode, used.Error.Contains("the task 't' is in ", StringComparison.Ordinal))
        );
        Assert.Contains(
            "did you mean 'etl/gone'?",
            (await WorkerRun.InvokeAsync("consumers", "remove", "etl/gnoe", "-c", file)).Error,
            StringComparison.Ordinal
        );
        Assert.Contains(
            "'pipeline subscription delete s' removes it",
            (await WorkerRun.InvokeAsync("consumers", "remove", "subscription/s", "-c", file)).Error,
            StringComparison.Ordinal
        );
        Assert.Contains(
            "'pipeline index delete I' removes it",
            (await WorkerRun.InvokeAsync("consumers", "remove", "index/I", "-c", file)).Error,
            StringComparison.Ordinal
        );

        // A worker that starts without the task keeps its tombstones too; from there it is forgotten while the others
        // run.
        await using var running = await OpenAsync(file);
        var url = running.Address!.ToString();
        Assert.Equal(0, await running.Database.Consumers.PurgeAsync());
        Assert.Contains(
            "'pipeline apply' then forgets it",
            (await WorkerRun.InvokeAsync("consumers", "remove", "etl/t", "--url", url)).Error,
            StringComparison.Ordinal
        );
        var removed = await WorkerRun.InvokeAsync("consumers", "remove", "ETL/Gone", "--forget-position", "--url", url);
        Assert.Equal(
            $"'etl/gone' is forgotten; 1 tombstones were kept for it. Its position 1 is forgotten too{Environment.NewLine}",
            removed.Out
        );
        Assert.DoesNotContain(
            "etl/gone",
            (await WorkerRun.InvokeAsync("consumers", "list", "--url", url)).Out,
            StringComparison.Ordinal
        );
        await running.RunOnceAsync();
        Assert.Equal(1, await running.Database.Consumers.PurgeAsync());
        using var snapshot = running.Database.OpenSnapshot();
        Assert.Null(snapshot.GetState("etl/gone"));
        Assert.All(KeptStates, prefix => Assert.Empty(snapshot.GetStates(prefix)));
    }

    [Fact]
    public async Task ASubscriptionOfARunningWorkerIsPausedMovedAndDeletedAndItsWorkersAreToldWhy()
    {
        await using var running = await OpenAsync(Write(gone: false));
        var url = running.Address!.ToString();
        for (var i = 0; i < 3; i++)
            await running.Database.PutAsync($"things/{i}", "{\"@metadata\":{\"@collection\":\"Things\"}}"u8.ToArray());
        await using var worker = await running.Subscriptions.ConnectAsync("s");
        var batch = (await worker.NextAsync())!;
        Assert.Equal(
            $"subscription 's' is paused{Environment.NewLine}",
            (await WorkerRun.InvokeAsync("subscription", "pause", "s", "--url", url)).Out
        );
        Assert.Equal(
            SubscriptionProblem.Paused,
            (await Assert.ThrowsAsync<SubscriptionException>(() => batch.AcknowledgeAsync())).Problem
        );
        Assert.Contains(
            "\"paused\"",
            (await WorkerRun.InvokeAsync("subscriptions", "--json", "--url", url)).Out,
            StringComparison.Ordinal
        );
        Assert.Equal(
            $"subscription 's' continues{Environment.NewLine}",
            (await WorkerRun.InvokeAsync("subscription", "resume", "s", "--url", url)).Out
        );
        await using var second = await running.Subscriptions.ConnectAsync(
            "s",
            new SubscriptionWorkerOptions { MaxBatchCount = 1 }
        );
        var one = (await second.NextAsync())!;
        Assert.Equal(
            $"subscription 's' is moved{Environment.NewLine}",
            (await WorkerRun.InvokeAsync("subscription", "move", "s", "--to", "2", "--url", url)).Out
        );
        Assert.Equal(
            SubscriptionProblem.Moved,
            (await Assert.ThrowsAsync<SubscriptionException>(() => one.AcknowledgeAsync())).Problem
        );
        Assert.Equal(2, running.Subscriptions.GetStatus("s")[0].Position);
        foreach (
            var (arguments, code, text) in new[]
            {
                (
                    new[] { "move", "s", "--to", "soon" },
                    ExitCodes.Failed,
                    "'soon' is not beginning, end, or a position"
                ),
                (["pause", "none"], ExitCodes.Failed, "There is no subscription 'none'; there are: s"),
                (["retry", "s", "--position", "99"], ExitCodes.Failed, "There is no dead letter 'deadletters/@s/99'"),
            }
        )
        {
            var run = await WorkerRun.InvokeAsync(["subscription", .. arguments, "--url", url]);
            Assert.True(
                run.ExitCode == code && run.Error.Contains(text, StringComparison.Ordinal),
                $"{run.ExitCode}: {run.Error}"
            );
        }

        Assert.Equal(
            $"subscription 's' is deleted{Environment.NewLine}",
            (await WorkerRun.InvokeAsync("subscription", "delete", "s", "--url", url)).Out
        );
        Assert.Empty(running.Subscriptions.Names());
        Assert.Equal(
            ExitCodes.Usage,
            (await WorkerRun.InvokeAsync("subscription", "pause", "s", "--url", url, "--data", "x")).ExitCode
        );
    }

    private string Write(bool gone) =>
        _folder.Write(
            "pipeline.yaml",
            $"""
            version: 1
            database: {"{"} name: shop, path: ./data {"}"}
            connections: {"{"} out: {"{"} files: {"{"} directory: ./out {"}"} {"}"} {"}"}
            server: {"{"} url: "http://127.0.0.1:0" {"}"}
            subscriptions: [{"{"} name: s {"}"}]
            etl:
              - {"{"} name: t, from: [Things], to: out, transform: 'send("t", id);' {"}"}
            {(
                gone
                    ? "  - { name: gone, from: [Things], to: out, onDelete: event, dependsOn: load, transform: 'send(\"gone\", new { id, Other = load(\"things/9\")?.N });' }\n"
                    : ""
            )}
            """
        );

    private static Task<PipelineWorker> OpenAsync(string file) =>
        PipelineWorker.OpenAsync(new WorkerOptions { ConfigurationFile = file, Listens = true });
}
