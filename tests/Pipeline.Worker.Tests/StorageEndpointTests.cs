using System.Net;
using System.Text;
using System.Text.Json;
using Pipeline.Hosting;
using Pipeline.Runner.Settings;
using Pipeline.Storage;
using Pipeline.TestKit.Files;
using Pipeline.TestKit.Time;
using Pipeline.Worker.CommandLine;
using Pipeline.Worker.Terminal;
using Pipeline.WorkerKit;
using Xunit;

namespace Pipeline.Worker.Tests;

/// <summary>
/// How a running worker reports on its storage, at its HTTP port and through the commands that ask it.
/// </summary>
public sealed class StorageEndpointTests : IAsyncLifetime, IDisposable
{
    private readonly TestFolder _folder = new();
    private PipelineWorker _worker = null!;

    private string Url => _worker.Address!.ToString();

    public async Task InitializeAsync()
    {
        var file = _folder.Write(
            "pipeline.yaml",
            """
            version: 1
            database: { name: shop, path: ./data, scrub: { interval: 3d, bytesPerSecond: 1MiB } }
            server: { url: "http://127.0.0.1:0" }
            """
        );
        _worker = await PipelineWorker.OpenAsync(new WorkerOptions { ConfigurationFile = file, Listens = true });
        for (var i = 0; i < 300; i++)
        {
            await _worker.Database.PutAsync(
                $"things/{i}",
                Encoding.UTF8.GetBytes(
                    $$$"""{"Text":"thing {{{i}}} {{{new string('x', 200)}}}","@metadata":{"@collection":"Things"}}"""
                )
            );
        }

        _worker.Database.Storage.Flush();
    }

    public Task DisposeAsync() => _worker.DisposeAsync().AsTask();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public async Task StorageAndStatsShowFiguresReadersAndIo()
    {
        using var reader = _worker.Database.OpenSnapshot("monthly report");
        await _worker.Database.PutAsync("things/1", """{"@metadata":{"@collection":"Things"}}"""u8.ToArray());
        using var client = new HttpClient { BaseAddress = _worker.Address };

        var storage = JsonDocument.Parse(await client.GetStringAsync("/storage")).RootElement;
        Assert.Equal(_worker.Database.Storage.LastCommittedTransaction, storage.GetProperty("transaction").GetInt64());
        Assert.Equal(
            Enum.GetNames<IoKind>(),
            storage.GetProperty("io").EnumerateArray().Select(i => i.GetProperty("kind").GetString()!)
        );
        var held = Assert.Single(
            storage.GetProperty("readers").EnumerateArray(),
            r => r.GetProperty("owner").GetString() == "monthly report"
        );
        Assert.Equal(1, held.GetProperty("heldTransactions").GetInt32());
        Assert.False(storage.GetProperty("scrub").GetProperty("isRunning").GetBoolean());

        var stats = await WorkerRun.InvokeAsync("stats", "--url", Url);
        Assert.Equal("", stats.Error);
        Assert.Contains("Things", stats.Out, StringComparison.Ordinal);
        Assert.Contains("'shop' in", stats.Out, StringComparison.Ordinal);
        Assert.Matches(
            "reader 'monthly report' of transaction .*, open for .* s: holds back 1 transactions, [1-9][0-9]* page versions",
            stats.Out
        );
        var json = JsonDocument.Parse((await WorkerRun.InvokeAsync("stats", "--json", "--url", Url)).Out).RootElement;
        Assert.Equal(300, json.GetProperty("documents").GetInt32());
        Assert.Equal(_worker.Database.Id.ToString(), json.GetProperty("id").GetString());
        Assert.Contains(
            "give one of them",
            (await WorkerRun.InvokeAsync("stats", "--url", Url, "--data", _folder["data"])).Error,
            StringComparison.Ordinal
        );
    }

    [Fact]
    public async Task IoStatsPrintsOnceWhereNoPersonWatches()
    {
        var text = await WorkerRun.InvokeAsync("io-stats", "--url", Url);
        Assert.Equal(("", ExitCodes.Success), (text.Error, text.ExitCode));
        Assert.Contains("JournalSync", text.Out, StringComparison.Ordinal);
        Assert.Contains(
            $"transaction {_worker.Database.Storage.LastCommittedTransaction:N0}, checkpoint",
            text.Out,
            StringComparison.Ordinal
        );
        var json = JsonDocument
            .Parse((await WorkerRun.InvokeAsync("io-stats", "--json", "--url", Url)).Out)
            .RootElement;
        Assert.True(json.GetProperty("io")[0].GetProperty("recent").GetArrayLength() > 0);
        Assert.Equal(ExitCodes.Usage, (await WorkerRun.InvokeAsync("io-stats", "--url", "somewhere")).ExitCode);
    }

    [Fact]
    public async Task IoStatsIsDrawnAnewEachSecondOnATerminalUntilItIsInterrupted()
    {
        var time = new ManualTimeProvider();
        using var watched = new WatchedWriter();
        var console = new WorkerConsole(watched, TextWriter.Null, Stream.Null, isOutputTerminal: true);
        using var interrupt = new CancellationTokenSource();
        var before = _worker.Database.Storage.LastCommittedTransaction;
        var first = watched.Expect($"transaction {before:N0},");
        var running = new PipelineCommandLine(console, time).InvokeAsync(["io-stats", "--url", Url], interrupt.Token);
        await first;
        await _worker.Database.PutAsync("things/new", """{"@metadata":{"@collection":"Things"}}"""u8.ToArray());
        var second = watched.Expect($"transaction {before + 1:N0},");
        // The command may not wait for the clock yet.
        while (!second.IsCompleted)
        {
            time.Advance(TimeSpan.FromSeconds(1));
            await Task.Yield();
        }

        await second;
        await interrupt.CancelAsync();
        Assert.Equal(ExitCodes.Success, await running);

        var once = new StringWriter();
        Assert.Equal(
            ExitCodes.Success,
            await new PipelineCommandLine(
                new WorkerConsole(once, TextWriter.Null, Stream.Null, isOutputTerminal: true),
                time
            ).InvokeAsync(["io-stats", "--once", "--url", Url], default)
        );
        Assert.Contains("JournalSync", once.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task ScrubFindsDamageUnderTheRunningWorkerAndHealthTellsOfIt()
    {
        var sound = await WorkerRun.InvokeAsync("scrub", "--url", Url, "--mib-per-second", "500");
        Assert.Equal(("", ExitCodes.Success), (sound.Error, sound.ExitCode));
        Assert.EndsWith($"all are sound{Environment.NewLine}", sound.Out);
        Assert.Contains(
            "all sound on",
            (await WorkerRun.InvokeAsync("health", "--url", Url)).Out,
            StringComparison.Ordinal
        );

        var page = Flip("thing 77 "u8);
        var spoiled = await WorkerRun.InvokeAsync("scrub", "--url", Url);
        Assert.Equal(ExitCodes.Failed, spoiled.ExitCode);
        Assert.Contains(
            $"pipeline.data: page {page} of tree 'documents' is damaged: its checksum does not match",
            spoiled.Out,
            StringComparison.Ordinal
        );
        Assert.Contains("1 pages are damaged", spoiled.Out, StringComparison.Ordinal);
        Assert.Contains("affected: document 'things/77'", spoiled.Out, StringComparison.Ordinal);
        Assert.DoesNotContain("unknown documents", spoiled.Out, StringComparison.Ordinal);
        var report = JsonDocument.Parse((await WorkerRun.InvokeAsync("scrub", "--json", "--url", Url)).Out).RootElement;
        Assert.Equal(
            page,
            Assert.Single(report.GetProperty("damaged").EnumerateArray()).GetProperty("page").GetInt64()
        );

        var health = await WorkerRun.InvokeAsync("health", "--url", Url);
        Assert.Equal(ExitCodes.Success, health.ExitCode);
        Assert.Contains("\"degraded\"", health.Out, StringComparison.Ordinal);
        Assert.Contains(
            "damage: ",
            (await WorkerRun.InvokeAsync("io-stats", "--url", Url)).Out,
            StringComparison.Ordinal
        );
        using var client = new HttpClient { BaseAddress = _worker.Address };
        Assert.Matches("pipeline_storage_pages_damaged{[^}]*} 1", await client.GetStringAsync("/metrics"));
        using var wrong = await client.PostAsync(new Uri("/storage/scrub?bytesPerSecond=0", UriKind.Relative), null);
        Assert.Equal(HttpStatusCode.BadRequest, wrong.StatusCode);
    }

    [Fact]
    public void TheConfigurationSetsTheSchedule()
    {
        var options = StorageSettings.Of(_worker.Configuration, _worker.Configuration.Database.Path);
        Assert.Equal((TimeSpan.FromDays(3), 1L << 20), (options.ScrubInterval, options.ScrubBytesPerSecond));
        Assert.Null(StorageSettings.Of(null, null).ScrubInterval);
    }

    /// <summary>Flips a bit in the open data file, in the page in which the text first stands.</summary>
    private long Flip(ReadOnlySpan<byte> text)
    {
        using var file = new FileStream(
            Path.Combine(_folder["data"], "pipeline.data"),
            FileMode.Open,
            FileAccess.ReadWrite,
            FileShare.ReadWrite | FileShare.Delete
        );
        var bytes = new byte[file.Length];
        file.ReadExactly(bytes);
        var at = bytes.AsSpan().IndexOf(text);
        Assert.True(at > 0);
        file.Position = at;
        file.WriteByte((byte)(bytes[at] ^ 1));
        return at / 8192;
    }

    /// <summary>Tells when a text was written.</summary>
    private sealed class WatchedWriter : StringWriter
    {
        private readonly Lock _gate = new();
        private string? _expected;
        private TaskCompletionSource _seen = new();

        public Task Expect(string text)
        {
            lock (_gate)
            {
                (_expected, _seen) = (
                    text,
                    new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously)
                );
                return _seen.Task;
            }
        }

        public override void Write(string? value)
        {
            lock (_gate)
            {
                base.Write(value);
                if (_expected is not null && ToString().Contains(_expected, StringComparison.Ordinal))
                    _seen.TrySetResult();
            }
        }
    }
}
