using System.Globalization;
using System.Text.Json;
using System.Text.RegularExpressions;
using Pipeline.Hosting;
using Pipeline.TestKit.Files;
using Pipeline.WorkerKit;
using Xunit;

namespace Pipeline.Worker.Tests;

/// <summary>What <c>run --once</c> says of a run that did not go well: summary, JSON, log and exit code.</summary>
public sealed partial class RunOnceOutcomeTests
{
    private const string FailsOnOdd =
        "if (doc.N % 2 == 1) throw new InvalidOperationException(\"odd: \" + doc.N); send(\"out\", new { doc.N });";

    [Fact]
    public async Task Retried_dead_letters_that_fail_again_are_all_tried_counted_and_give_exit_code_1()
    {
        using var folder = new TestFolder();
        var config = RunOnceTests.Configure(folder, FailsOnOdd);
        folder.Write("things.jsonl", RunOnceTests.Things(1000));
        Assert.Equal(ExitCodes.Failed, (await WorkerRun.InvokeAsync("run", "--once", "--config", config)).ExitCode);
        Assert.Equal(
            ExitCodes.Success,
            (await WorkerRun.InvokeAsync("deadletters", "retry", "--all", "--config", config)).ExitCode
        );

        var run = await WorkerRun.InvokeAsync("run", "--once", "--json", "--config", config);

        Assert.Equal(ExitCodes.Failed, run.ExitCode);
        var summary = JsonDocument.Parse(run.Out).RootElement;
        Assert.False(summary.GetProperty("succeeded").GetBoolean());
        Assert.Equal(500, summary.GetProperty("deadLetters").GetInt64());
        var task = summary.GetProperty("tasks")[0];
        Assert.Equal(
            (500, 0, 0),
            (
                task.GetProperty("failedAgain").GetInt64(),
                task.GetProperty("retried").GetInt64(),
                task.GetProperty("messages").GetInt64()
            )
        );
    }

    [Fact]
    public async Task Retried_dead_letters_that_are_sent_now_give_exit_code_0()
    {
        using var folder = new TestFolder();
        var config = RunOnceTests.Configure(folder, FailsOnOdd);
        folder.Write("things.jsonl", RunOnceTests.Things(1000));
        await WorkerRun.InvokeAsync("run", "--once", "--config", config);
        await WorkerRun.InvokeAsync("deadletters", "retry", "--all", "--config", config);
        RunOnceTests.Configure(folder, "send(\"out\", new { doc.N });");

        var run = await WorkerRun.InvokeAsync("run", "--once", "--json", "--config", config);

        Assert.True(run.ExitCode == ExitCodes.Success, run.Error + run.Out);
        Assert.Equal(
            500,
            JsonDocument.Parse(run.Out).RootElement.GetProperty("tasks")[0].GetProperty("retried").GetInt64()
        );
        Assert.Equal(1000, File.ReadLines(folder["out/out.jsonl"]).Count());
    }

    [Fact]
    public async Task A_replay_that_was_begun_is_finished()
    {
        using var folder = new TestFolder();
        var config = RunOnceTests.Configure(folder, "send(\"out\", new { doc.N });");
        folder.Write("things.jsonl", RunOnceTests.Things(3000));
        await WorkerRun.InvokeAsync("run", "--once", "--config", config);
        var begun = await WorkerRun.InvokeAsync("replay", "copy", "--from", "0", "--config", config);
        Assert.True(begun.ExitCode == ExitCodes.Success, begun.Error);

        var run = await WorkerRun.InvokeAsync("run", "--once", "--config", config);

        Assert.True(run.ExitCode == ExitCodes.Success, run.Error + run.Out);
        Assert.Equal(6000, File.ReadLines(folder["out/out.jsonl"]).Count());
    }

    [Fact]
    public async Task Documents_and_dead_letters_are_told_apart_and_the_position_is_the_databases()
    {
        using var folder = new TestFolder();
        var config = RunOnceTests.Configure(
            folder,
            "if (doc.N > 40) throw new Exception(\"no\"); send(\"out\", new { doc.N });"
        );
        folder.Write("things.jsonl", RunOnceTests.Things(50));

        var run = await WorkerRun.InvokeAsync("run", "--once", "--config", config);

        Assert.Contains(
            "50 documents and 10 dead letters in 'shop' (50 imported now), position 60, ",
            run.Out,
            StringComparison.Ordinal
        );
    }

    [Fact]
    public async Task What_is_left_out_by_onError_skip_is_in_the_summary()
    {
        using var folder = new TestFolder();
        var config = folder.Write(
            "pipeline.yaml",
            """
            version: 1
            database: { name: shop, path: ./data }
            import: [things.jsonl]
            connections: { files: { files: { directory: ./out } } }
            etl:
              - { name: copy, from: [Things], to: files, onError: skip, transform: 'if (doc.N > 40) throw new Exception("no"); send("out", new { doc.N });' }
            """
        );
        folder.Write("things.jsonl", RunOnceTests.Things(50));

        var run = await WorkerRun.InvokeAsync("run", "--once", "--json", "--config", config);

        Assert.True(run.ExitCode == ExitCodes.Success, run.Error);
        Assert.Equal(
            10,
            JsonDocument.Parse(run.Out).RootElement.GetProperty("tasks")[0].GetProperty("skipped").GetInt64()
        );
    }

    [Fact]
    public async Task A_task_that_failed_is_shown_as_failed_with_its_reason()
    {
        using var folder = new TestFolder();
        var config = folder.Write(
            "pipeline.yaml",
            """
            version: 1
            database: { name: shop, path: ./data }
            import: [things.jsonl]
            connections: { files: { files: { directory: ./out } } }
            etl:
              - { name: copy, from: [Things], to: files, onError: stop, transform: 'if (doc.N > 2) throw new Exception("three is too many"); send("out", new { doc.N });' }
            """
        );
        folder.Write("things.jsonl", RunOnceTests.Things(3));

        var run = await WorkerRun.InvokeAsync("run", "--once", "--json", "--config", config, "--log-level", "none");

        Assert.Equal(ExitCodes.Failed, run.ExitCode);
        var task = JsonDocument.Parse(run.Out).RootElement.GetProperty("tasks")[0];
        Assert.Equal("failed", task.GetProperty("state").GetString());
        Assert.Contains("three is too many", task.GetProperty("problem").GetString(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_timeout_ends_the_wait_for_a_broker_that_is_away()
    {
        using var folder = new TestFolder();
        var config = folder.Write(
            "pipeline.yaml",
            """
            version: 1
            database: { name: shop, path: ./data }
            import: [things.jsonl]
            connections: { mq: { rabbitmq: { uri: "amqp://127.0.0.1:1" } } }
            etl: [{ name: copy, from: [Things], to: mq, transform: 'send("out", new { doc.N });' }]
            """
        );
        folder.Write("things.jsonl", RunOnceTests.Things(3));

        var run = await WorkerRun.InvokeAsync("run", "--once", "--timeout", "1500ms", "--json", "--config", config);

        Assert.True(run.ExitCode == ExitCodes.Failed, run.Error);
        Assert.Contains("the tasks have not sent everything within 1.5 s", run.Error, StringComparison.Ordinal);
        var summary = JsonDocument.Parse(run.Out).RootElement;
        Assert.True(summary.GetProperty("timedOut").GetBoolean());
        Assert.False(summary.GetProperty("succeeded").GetBoolean());
        Assert.NotEqual("done", summary.GetProperty("tasks")[0].GetProperty("state").GetString());
    }

    [Theory]
    [InlineData("0s")]
    [InlineData("soon")]
    [InlineData("50d")]
    public async Task A_timeout_that_is_no_duration_is_a_fault_of_the_command_line(string timeout)
    {
        var run = await WorkerRun.InvokeAsync("run", "--once", "--timeout", timeout);

        Assert.Equal(ExitCodes.Usage, run.ExitCode);
        Assert.Contains(
            $"--timeout is '{timeout}'; a duration such as 30s, 5m or 1h30m is needed, over 0 and at most 49d",
            run.Error,
            StringComparison.Ordinal
        );
    }

    [Fact]
    public async Task Of_many_dead_letters_the_first_few_are_logged_with_their_line_and_the_rest_in_one_summary()
    {
        using var folder = new TestFolder();
        var config = RunOnceTests.Configure(folder, FailsOnOdd);
        folder.Write("things.jsonl", RunOnceTests.Things(1000));

        var run = await WorkerRun.InvokeAsync("run", "--once", "--config", config);

        var single = run
            .Error.Split('\n')
            .Where(l => l.Contains(" became a dead letter: ", StringComparison.Ordinal))
            .ToList();
        Assert.Equal(5, single.Count);
        Assert.All(
            single,
            l =>
                Assert.Matches(
                    @"document things/\d+ became a dead letter: pipeline\.yaml:11:\d+: the script failed with \w+; the dead letter has the message",
                    l
                )
        );
        var summaries = run
            .Error.Split('\n')
            .Where(l => l.Contains(" more changes became dead letters: ", StringComparison.Ordinal))
            .ToList();
        Assert.All(
            summaries,
            l =>
                Assert.Matches(
                    @"\d+ × script InvalidOperationException at pipeline\.yaml:11:\d+ \(such as things/\d+: the script failed with InvalidOperationException; the dead letter has the message\)",
                    l
                )
        );
        Assert.Equal(
            495,
            summaries.Sum(l => int.Parse(Counted().Match(l).Groups[1].Value, CultureInfo.InvariantCulture))
        );
        Assert.InRange(summaries.Count, 1, 5);
    }

    [Fact]
    public async Task No_task_is_shown_beyond_its_target()
    {
        using var folder = new TestFolder();
        var config = RunOnceTests.Configure(folder, "send(\"out\", new { doc.N });");
        folder.Write("things.jsonl", RunOnceTests.Things(10));
        await using var worker = await PipelineWorker.OpenAsync(new WorkerOptions { ConfigurationFile = config });
        for (var i = 11; i <= 15; i++)
        {
            await worker.Database.PutAsync(
                $"things/{i}",
                """{"N":1,"@metadata":{"@collection":"Things"}}"""u8.ToArray()
            );
        }

        var summary = await worker.RunOnceAsync();

        var task = Assert.Single(summary.Tasks);
        Assert.Equal(10, summary.Position);
        Assert.True(task.Target >= task.Position, $"position {task.Position} of {task.Target}");
    }

    [Fact]
    public async Task The_worker_is_ready_for_who_hosts_it()
    {
        using var folder = new TestFolder();
        await using var worker = await PipelineWorker.OpenAsync(
            new WorkerOptions
            {
                ConfigurationFile = folder.Write(
                    "pipeline.yaml",
                    "version: 1\ndatabase: { name: shop, path: ./data }\nhealth: { minFreeBytes: 0 }\n"
                ),
            }
        );

        var report = await worker.CheckReadyAsync();

        Assert.True(report.IsReady);
        Assert.Contains(report.Checks, c => c is { Name: "storage", Ok: true });
        Assert.Contains(
            report.Checks,
            c =>
                c is { Name: "disk", Ok: true } && c.Detail.Contains(" free for the data in ", StringComparison.Ordinal)
        );
    }

    [GeneratedRegex(@": (\d+) more changes")]
    private static partial Regex Counted();
}
