using System.CommandLine;
using System.Globalization;
using System.Text.Json;
using Pipeline.Hosting;
using Pipeline.Worker.Terminal;
using Spectre.Console;

namespace Pipeline.Worker.CommandLine;

/// <summary>
/// <c>pipeline stats</c>: the contents of a database that no process has open, or of a running worker's.
/// </summary>
internal sealed class StatsCommand : WorkerCommand
{
    private readonly Option<bool> _json = new("--json") { Description = "Print it as JSON." };
    private readonly Option<string?> _url = WorkerClient.InsteadOption();

    public StatsCommand(CommonOptions common)
        : base(
            "stats",
            "Show the database's collections, position and size; with --url, those of a running worker and its open readers."
        )
    {
        Add(_json);
        Add(_url);
        common.AddDatabaseTo(this);
        common.RefuseWith(this, _url);
    }

    /// <inheritdoc/>
    public override async Task<int> RunAsync(CommandRun run, CancellationToken cancellationToken)
    {
        var view = await RunningWorker.FindAsync(run, _url, cancellationToken).ConfigureAwait(false) is { } url
            ? await AskAsync(url, cancellationToken).ConfigureAwait(false)
            : await OpenAsync(run).ConfigureAwait(false);
        if (run.Parsed.GetValue(_json))
        {
            await run
                .Console.Out.WriteLineAsync(
                    JsonSerializer.Serialize(view, JsonForms.Indented).AsMemory(),
                    cancellationToken
                )
                .ConfigureAwait(false);
        }
        else
        {
            Draw(run.Console, view);
        }

        return ExitCodes.Success;
    }

    private static async Task<DatabaseView> AskAsync(string url, CancellationToken cancellationToken)
    {
        using var client = new WorkerClient(url);
        return WorkerClient.Read<DatabaseView>(
            await client.GetAsync("/stats", cancellationToken).ConfigureAwait(false)
        );
    }

    private static async Task<DatabaseView> OpenAsync(CommandRun run)
    {
        var opened = OpenedDatabase.OpenExisting(DataSource.Find(run.Settings), run.Loggers, run.Time);
        await using var closing = opened.ConfigureAwait(false);
        return DatabaseView.Of(opened.Database, opened.Source.Path);
    }

    private static void Draw(WorkerConsole console, DatabaseView view)
    {
        var table = new Table().Border(TableBorder.Rounded);
        table.AddColumn("collection");
        table.AddColumn(new TableColumn("documents").RightAligned());
        table.AddColumn(new TableColumn("tombstones").RightAligned());
        table.AddColumn(new TableColumn("revisions").RightAligned());
        foreach (var collection in view.Collections)
        {
            table.AddRow(
                new Text(collection.Name),
                Number(collection.Documents),
                Number(collection.Tombstones),
                Number(collection.Revisions)
            );
        }

        table.AddRow(new Text("all"), Number(view.Documents), Number(view.Tombstones), Number(view.Revisions));
        SummaryTable.ConsoleFor(console.Out, console.IsOutputTerminal).Write(table);
        console.Out.WriteLine($"'{view.Name}' in {view.Path}");
        console.Out.WriteLine(
            string.Create(
                CultureInfo.InvariantCulture,
                $"position {view.LastPosition:N0}, {view.SizeOnDisk / 1048576.0:N1} MiB on disk, id {view.Id}"
            )
        );
        if (view.Space is { } space)
            console.Out.WriteLine(Describe(space));
        foreach (var reader in view.Readers)
            console.Out.WriteLine(StorageTable.Describe(reader));
        foreach (var consumer in view.Consumers)
            console.Out.WriteLine($"{consumer.Name}: {ConsumerHealth.Describe(consumer)}");
    }

    private static string Describe(SpaceView space) =>
        string.Create(
            CultureInfo.InvariantCulture,
            $"data file: {Mib(space.FileBytes)} MiB, on the device {Mib(space.DeviceBytes)} MiB; free {Mib(space.FreeBytes)} MiB, punched {Mib(space.PunchedBytes)} MiB, left {Mib(space.LeftBytes)} MiB"
        ) + (space.CanPunch ? "" : " (the file system takes no space back)");

    private static string Mib(long bytes) => (bytes / 1048576.0).ToString("N1", CultureInfo.InvariantCulture);

    private static Text Number(long value) => new(value.ToString("N0", CultureInfo.InvariantCulture));
}
