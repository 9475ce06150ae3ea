using Pipeline.Hosting;
using Pipeline.Storage;
using Pipeline.TestKit.Files;
using Pipeline.Worker.CommandLine;
using Pipeline.Worker.Terminal;
using Pipeline.WorkerKit;
using Xunit;

namespace Pipeline.Worker.Tests;

/// <summary>Messages and remaining files of commands that are interrupted or run out of disk space.</summary>
public sealed class InterruptedCommandTests : IAsyncLifetime, IDisposable
{
    private readonly TestFolder _folder = new();
    private string _configuration = "";

    public async Task InitializeAsync()
    {
        _configuration = _folder.Write(
            "pipeline.yaml",
            "version: 1\ndatabase: { name: shop, path: data }\nbackups: [{ name: nightly, to: { folder: backups } }]\n"
        );
        _folder.Write("things.jsonl", RunOnceTests.Things(3));
        string[][] commands = [Import("data"), ["backup", "run", "nightly", "-c", _configuration]];
        foreach (var command in commands)
            Assert.Equal(ExitCodes.Success, (await WorkerRun.InvokeAsync(command)).ExitCode);
    }

    public Task DisposeAsync() => Task.CompletedTask;

    public void Dispose() => _folder.Dispose();

    [Fact]
    public Task An_import_says_that_stored_documents_stay() =>
        InterruptAsync("the documents that were stored stay; the same command imports all again", Import("new"));

    [Fact]
    public async Task An_export_says_that_its_file_was_not_written()
    {
        var file = _folder["out.jsonl"];
        await InterruptAsync($"'{file}' was not written", ["export", "-c", _configuration, "-o", file], file);
    }

    [Fact]
    public Task A_backup_says_that_none_was_added() =>
        InterruptAsync(
            "no backup was added; the next run reuses the chunks that were sent",
            ["backup", "run", "nightly", "--full", "-c", _configuration]
        );

    [Fact]
    public async Task A_restore_says_that_it_begins_again()
    {
        var to = _folder["restored"];
        await InterruptAsync(
            $"'{to}' is not restored; the same command begins again",
            ["restore", "nightly", "--from", _folder["backups"], "--to", to],
            Path.Combine(to, "pipeline.data")
        );
    }

    /// <summary>Regression: a lint that took long to stop spoke of the last confirmed position.</summary>
    [Theory]
    [InlineData(null, "lint")]
    [InlineData(null, "get", "orders/1")]
    [InlineData(null, "export")]
    [InlineData("the next start resumes from the last confirmed position", "run")]
    public void Only_a_command_that_leaves_something_says_so(string? expected, params string[] arguments)
    {
        using var stream = new MemoryStream();
        var console = new WorkerConsole(TextWriter.Null, TextWriter.Null, stream);
        Assert.Equal(expected, new PipelineCommandLine(console, TimeProvider.System).WhenStopped(arguments));
    }

    /// <summary>Regression: a command that only reads said that writes are refused and reads continue.</summary>
    [Fact]
    public void A_full_disk_is_told_with_the_file_and_what_to_do()
    {
        Assert.Equal(
            ["/db/1.journal: no space for 1,048,576 more bytes; free space on that disk"],
            ErrorReport.Of(new DiskFullException("/db/1.journal", 1 << 20), hasUrl: false).Lines
        );
        var full = OperatingSystem.IsWindows() ? unchecked((int)0x80070070) : 28;
        Assert.Equal(
            ["No space left on device : '/db/out.jsonl.partial'; free space on that disk"],
            ErrorReport
                .Of(new IOException("No space left on device : '/db/out.jsonl.partial'", full), hasUrl: false)
                .Lines
        );
        Assert.Equal(
            ["standard output: No space left on device; free space on that disk"],
            ErrorReport.Of(new IOException("No space left on device", full), hasUrl: false).Lines
        );
    }

    private string[] Import(string data) => ["import", _folder["things.jsonl"], "--data", _folder[data]];

    /// <summary>Interrupts a command, and runs it again.</summary>
    private static async Task InterruptAsync(string expected, string[] command, string? made = null)
    {
        var stopped = await WorkerRun.InvokeAsync(command, new CancellationToken(canceled: true));
        Assert.Equal((ExitCodes.Interrupted, ""), (stopped.ExitCode, stopped.Out));
        Assert.Equal($"pipeline: interrupted; {expected}{Environment.NewLine}", stopped.Error);
        Assert.False(File.Exists(made));
        var again = await WorkerRun.InvokeAsync(command);
        Assert.True(again.ExitCode == ExitCodes.Success, again.Error);
        Assert.True(made is null || File.Exists(made));
    }
}
