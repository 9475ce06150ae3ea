using System.Net;
using System.Net.Sockets;
using System.Text.Json;
using Pipeline.Storage;
using Pipeline.TestKit.Files;
using Pipeline.TestKit.Processes;
using Pipeline.WorkerKit;
using Xunit;

namespace Pipeline.Worker.Tests;

public sealed class WorkerProcessTests
{
    [SkippableTheory]
    [InlineData(ProcessSignal.Terminate)]
    [InlineData(ProcessSignal.Interrupt)]
    public async Task ASignalEndsARunWithin5SecondsAndLosesNothing(int signal)
    {
        using var folder = new TestFolder();
        var config = RunOnceTests.Configure(folder, transform: "send(\"out\", new { doc.N });");
        folder.Write("things.jsonl", RunOnceTests.Things(2_000));

        using (var process = new WorkerProcess("run", "--config", config))
        {
            await process.ReadErrorUntilAsync("listening on http://127.0.0.1:");
            process.Signal(signal);
            var (exitCode, took) = await process.WaitAsync();

            Assert.True(exitCode == ExitCodes.Success, string.Join('\n', process.ErrorLines));
            Assert.InRange(took, TimeSpan.Zero, TimeSpan.FromSeconds(5));
            Assert.Contains("pipeline: stopping (once more to stop at once)", process.ErrorLines);
        }

        await AssertAllIsSentOnceAsync(folder, config, 2_000);
    }

    [Fact]
    public async Task KilledInTheMiddleTheNextRunSendsTheRest()
    {
        using var folder = new TestFolder();
        var config = RunOnceTests.Configure(folder, transform: "send(\"out\", new { doc.N });");
        folder.Write("things.jsonl", RunOnceTests.Things(5_000));

        using (var process = new WorkerProcess("run", "--config", config))
        {
            await process.ReadErrorUntilAsync("starts at position 0");
            process.Kill();
            await process.WaitAsync();
        }

        await AssertAllIsSentOnceAsync(folder, config, 5_000);
    }

    [Fact]
    public async Task AFolderHeldByARunningWorkerIsRefusedNamingIt()
    {
        using var folder = new TestFolder();
        var config = RunOnceTests.Configure(folder, transform: "send(\"out\", new { doc.N });");
        folder.Write("things.jsonl", RunOnceTests.Things(1));
        using var process = new WorkerProcess("run", "--config", config);
        var listening = await process.ReadErrorUntilAsync("listening on ");
        await process.ReadErrorUntilAsync("starts at position 0");

        foreach (
            var command in (string[][])
                [
                    ["check"],
                    ["run", "--once", "--log-level", "none"],
                ]
        )
        {
            var run = await WorkerRun.InvokeAsync([.. command, "--config", config]);
            Assert.Equal(ExitCodes.Usage, run.ExitCode);
            Assert.Contains(folder["data"], run.Error);
            Assert.Contains($"is in use by process {process.Id} ", run.Error);
            Assert.EndsWith($"stop that process first{Environment.NewLine}", run.Error);
        }

        // A command that can ask the worker of another process does so.
        var stats = await WorkerRun.InvokeAsync("stats", "--config", config);
        Assert.True(stats.ExitCode == ExitCodes.Success, stats.Error);
        Assert.Contains($"{folder["data"]} is open in the worker at http://", stats.Error);

        var url = listening[
            listening.IndexOf("http", StringComparison.Ordinal)..listening.IndexOf(
                ": /health",
                StringComparison.Ordinal
            )
        ];
        var health = await WorkerRun.InvokeAsync("health", "--url", url);
        Assert.True(health.ExitCode == ExitCodes.Success, health.Out + health.Error);
        Assert.Contains("\"name\": \"task copy\"", health.Out);
        using var client = new HttpClient();
        Assert.Contains("pipeline_etl_messages_total{", await client.GetStringAsync(new Uri(url + "/metrics")));
    }

    [SkippableFact]
    public async Task AnInterruptedRunOnceIsExitCode130()
    {
        using var folder = new TestFolder();
        // Nobody listens on port 1: the task waits for its target until it is interrupted.
        var config = folder.Write(
            "pipeline.yaml",
            """
            version: 1
            database: { name: shop, path: ./data }
            import: [things.jsonl]
            connections: { rabbit: { rabbitmq: { uri: "amqp://guest:guest@127.0.0.1:1" } } }
            etl:
              - { name: copy, from: [Things], to: rabbit, transform: 'send("out", new { doc.N });' }
            """
        );
        folder.Write("things.jsonl", RunOnceTests.Things(1));

        using var process = new WorkerProcess("run", "--once", "--config", config);
        await process.ReadErrorUntilAsync("warn ");
        process.Signal(ProcessSignal.Interrupt);
        var (exitCode, took) = await process.WaitAsync();

        Assert.True(exitCode == ExitCodes.Interrupted, string.Join('\n', process.ErrorLines));
        Assert.InRange(took, TimeSpan.Zero, TimeSpan.FromSeconds(5));
    }

    /// <summary>
    /// Regression: more connections than files made the runtime fail to load code, for good, and ended the process with
    /// "Out of memory". The limit of connections was fixed, and larger than what many systems let a process open.
    /// </summary>
    [SkippableFact]
    public async Task MoreConnectionsThanOpenFilesDoNotEndIt()
    {
        Skip.If(
            OpenFiles.Most is null or < 4_096,
            "this process may not open 4,096 files: raise the limit (ulimit -Hn)"
        );
        using var folder = new TestFolder();
        var config = RunOnceTests.Configure(folder, transform: "send(\"out\", new { doc.N });");
        folder.Write("things.jsonl", RunOnceTests.Things(1));
        using var process = WorkerProcess.WithOpenFiles(2_000, "run", "--config", config);
        await process.ReadErrorUntilAsync("at most 1000 connections instead of 20000");
        var listening = await process.ReadErrorUntilAsync("listening on ");
        var url = new Uri(
            listening[
                listening.IndexOf("http", StringComparison.Ordinal)..listening.IndexOf(
                    ": /health",
                    StringComparison.Ordinal
                )
            ]
        );

        List<Socket> flood = [];
        for (var i = 0; i < 2_500; i++)
        {
            var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
            flood.Add(socket);
            try
            {
                await socket.ConnectAsync(IPAddress.Loopback, url.Port);
                await socket.SendAsync("GET / HTTP/1.1\r\nHost: "u8.ToArray());
            }
            catch (SocketException)
            {
                // One too many: the server has closed it.
            }
        }

        Assert.InRange(Directory.GetFiles($"/proc/{process.Id}/fd").Length, 1_000, 1_990);
        foreach (var socket in flood)
            socket.Dispose();
        using var client = new HttpClient();
        using var deadline = new CancellationTokenSource(TimeSpan.FromSeconds(60));
        while (true)
        {
            try
            {
                Assert.Contains("live", await client.GetStringAsync(new Uri(url, "/health/live"), deadline.Token));
                break;
            }
            catch (HttpRequestException)
            {
                // The closed ones still count until the server has seen that.
                await Task.Delay(10, deadline.Token);
            }
        }
    }

    private static async Task AssertAllIsSentOnceAsync(TestFolder folder, string config, int count)
    {
        var rest = await WorkerRun.InvokeAsync("run", "--once", "--json", "--config", config);
        Assert.True(rest.ExitCode == ExitCodes.Success, rest.Error);
        Assert.Equal(count, JsonDocument.Parse(rest.Out).RootElement.GetProperty("documents").GetInt64());
        var numbers = File.ReadLines(folder["out/out.jsonl"])
            .Select(l => JsonDocument.Parse(l).RootElement)
            .DistinctBy(m => m.GetProperty("id").GetString())
            .Select(m => m.GetProperty("data").GetProperty("N").GetInt32());
        Assert.Equal(Enumerable.Range(1, count), numbers);
    }
}
