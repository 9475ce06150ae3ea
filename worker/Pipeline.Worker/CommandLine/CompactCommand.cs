using System.CommandLine;
using System.Globalization;
using System.Text.Json;
using Pipeline.Documents.Maintenance;
using Pipeline.Hosting;
using Pipeline.Storage;
using Pipeline.Worker.Terminal;

namespace Pipeline.Worker.CommandLine;

/// <summary>
/// <c>pipeline compact</c>: shortens the data file of a database that no process has open, or of a running worker's.
/// </summary>
internal sealed class CompactCommand : WorkerCommand
{
    private readonly Option<bool> _json = new("--json") { Description = "Print the figures as JSON." };
    private readonly Option<string?> _url = new("--url")
    {
        Description =
            $"Let the running worker at this address do it (server.url in its configuration; usually {WorkerDefaults.ServerUrl}). The worker keeps serving.",
        HelpName = "URL",
    };

    public CompactCommand(CommonOptions common)
        : base(
            "compact",
            "Move data from the end of the data file into gaps and shrink the file. The database must not be open, or --url names the running worker. It can be interrupted."
        )
    {
        Add(_url);
        Add(_json);
        common.AddDatabaseTo(this);
    }

    /// <inheritdoc/>
    public override string? WhenStopped(ParseResult parsed) =>
        "no document is lost; the same command moves the remaining pages";

    /// <inheritdoc/>
    public override async Task<int> RunAsync(CommandRun run, CancellationToken cancellationToken)
    {
        var view = await RunningWorker.FindAsync(run, _url, cancellationToken).ConfigureAwait(false) is { } url
            ? await AskAsync(url, cancellationToken).ConfigureAwait(false)
            : await CompactAsync(run, cancellationToken).ConfigureAwait(false);
        await run
            .Console.Out.WriteLineAsync(
                run.Parsed.GetValue(_json) ? JsonSerializer.Serialize(view, JsonForms.Indented) : Describe(view)
            )
            .ConfigureAwait(false);
        return ExitCodes.Success;
    }

    private static async Task<CompactionView> CompactAsync(CommandRun run, CancellationToken cancellationToken)
    {
        var source = DataSource.Find(run.Settings);
        CheckCommand.CheckExists(source);
        var line = new MaintenanceLine(run.Console, run.Time, "compacting");
        var opened = OpenedDatabase.OpenExisting(source, run.Loggers, run.Time);
        await using var closing = opened.ConfigureAwait(false);
        try
        {
            // No other work needs the disk, so there is no rate limit.
            return CompactionView.Of(
                await opened
                    .Database.Storage.CompactAsync(
                        new CompactionOptions { MaxBytesPerSecond = 0 },
                        new Moved(line),
                        cancellationToken
                    )
                    .ConfigureAwait(false),
                opened.Database.Storage.GetStatistics()
            );
        }
        finally
        {
            line.Clear();
        }
    }

    private static async Task<CompactionView> AskAsync(string address, CancellationToken cancellationToken)
    {
        // If this program ends, its connection closes, and that stops the compaction.
        using var client = new WorkerClient(address);
        return WorkerClient.Read<CompactionView>(
            await client
                .SendAsync(HttpMethod.Post, StorageEndpoint.CompactPath, cancellationToken)
                .ConfigureAwait(false)
        );
    }

    private static string Describe(CompactionView view) =>
        string.Create(
            CultureInfo.InvariantCulture,
            $"{view.PagesMoved:N0} pages moved; data file {view.FileBytesBefore / 1048576.0:N1} MiB before, {view.FileBytesAfter / 1048576.0:N1} MiB now ({view.AllocatedBytes / 1048576.0:N1} MiB on the device, {view.UsedBytes / 1048576.0:N1} MiB in use){(view.IsCut ? "" : "; the file shrinks when the earlier reads have ended")}"
        );

    private sealed class Moved(MaintenanceLine line) : IProgress<CompactionProgress>
    {
        public void Report(CompactionProgress value) =>
            line.Report(new MaintenanceProgress("pages moved", value.PagesMoved, 0));
    }
}
