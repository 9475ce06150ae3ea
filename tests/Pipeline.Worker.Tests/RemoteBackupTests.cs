using System.Security.Cryptography;
using System.Text;
using Pipeline.Hosting;
using Pipeline.TestKit.Files;
using Pipeline.Worker.Terminal;
using Pipeline.WorkerKit;
using Xunit;

namespace Pipeline.Worker.Tests;

/// <summary>A backup that a running worker makes shows its progress where the command was typed.</summary>
public sealed class RemoteBackupTests : IDisposable
{
    private readonly TestFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public async Task ATerminalShowsBarRateAndTimeLeftAndAPipeNothing()
    {
        var file = _folder.Write(
            "pipeline.yaml",
            """
            version: 1
            database: { name: shop, path: ./data }
            server: { url: "http://127.0.0.1:0" }
            backups: [{ name: slow, to: { folder: ./bak }, maxBytesPerSecond: 64KiB, compression: none }]
            """
        );
        var worker = await PipelineWorker.OpenAsync(new WorkerOptions { ConfigurationFile = file, Listens = true });
        await using var closing = worker.ConfigureAwait(false);
        for (var i = 0; i < 64; i++)
        {
            var text = Convert.ToHexString(RandomNumberGenerator.GetBytes(32 << 10));
            await worker.Database.PutAsync($"texts/{i}", Encoding.UTF8.GetBytes($$"""{"Text":"{{text}}"}"""));
        }

        string[] command = ["backup", "run", "slow", "--config", file];
        var error = new Awaited(" left");
        var run = new PipelineCommandLine(
            new WorkerConsole(TextWriter.Null, error, Stream.Null, isErrorTerminal: true),
            TimeProvider.System
        ).InvokeAsync(command, CancellationToken.None);
        await error.Seen.WaitAsync(TimeSpan.FromMinutes(1));
        await WorkerRun.InvokeAsync("backup", "cancel", "slow", "--config", file);
        Assert.Equal(ExitCodes.Failed, await run);
        Assert.Matches(
            @"\[[#.]{24}\] \d+ %, \d+ K?i?B of [\d,]+ KiB, \d+ K?i?B/s, \d:\d\d:\d\d left",
            error.ToString()
        );

        using var stop = new CancellationTokenSource();
        var output = new Awaited("asking it");
        var piped = new PipelineCommandLine(
            new WorkerConsole(TextWriter.Null, output, Stream.Null),
            TimeProvider.System
        ).InvokeAsync(command, stop.Token);
        await output.Seen.WaitAsync(TimeSpan.FromMinutes(1));
        await stop.CancelAsync();
        Assert.Equal(ExitCodes.Interrupted, await piped);
        Assert.DoesNotContain("B/s", output.ToString(), StringComparison.Ordinal);
    }

    /// <summary>Keeps the output, and signals when it contains a text.</summary>
    private sealed class Awaited(string text) : StringWriter
    {
        private readonly TaskCompletionSource _seen = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public Task Seen => _seen.Task;

        public override void Write(string? value)
        {
            base.Write(value);
            Look();
        }

        public override void WriteLine(string? value)
        {
            base.WriteLine(value);
            Look();
        }

        private void Look()
        {
            if (GetStringBuilder().ToString().Contains(text, StringComparison.Ordinal))
                _seen.TrySetResult();
        }
    }
}
