using System.CommandLine;
using System.Globalization;
using System.Text.Json;
using Pipeline.Database;
using Pipeline.Worker.Terminal;
using Spectre.Console;

namespace Pipeline.Worker.CommandLine;

/// <summary><c>pipeline stats</c>: what a database holds.</summary>
internal sealed class StatsCommand : WorkerCommand
{
    private readonly Option<bool> _json = new("--json") { Description = "Print it as JSON." };

    public StatsCommand(CommonOptions common)
        : base("stats", "Show the database's collections, position and size.")
    {
        Add(_json);
        common.AddDatabaseTo(this);
    }

    /// <inheritdoc/>
    public override async Task<int> RunAsync(CommandRun run, CancellationToken cancellationToken)
    {
        var source = DataSource.Find(run.Settings);
        var opened = OpenedDatabase.OpenExisting(source, run.Loggers, run.Time);
        await using var closing = opened.ConfigureAwait(false);
        using var snapshot = opened.Database.OpenSnapshot();
        var figures = snapshot.GetStatistics();
        if (run.Parsed.GetValue(_json))
            await run.Console.Out.WriteLineAsync(ToJson(source, opened.Database.Id, figures).AsMemory(), cancellationToken).ConfigureAwait(false);
        else
            Draw(run.Console, source, opened.Database.Id, figures);
        return ExitCodes.Success;
    }

    private static string ToJson(DataSource source, DatabaseId id, DatabaseStatistics figures) => JsonSerializer.Serialize(
        new
        {
            source.Name,
            source.Path,
            Id = id.ToString(),
            figures.Documents,
            figures.Tombstones,
            figures.LastPosition,
            figures.SizeOnDisk,
            Collections = figures.Collections.Select(c => new { c.Name, c.Documents, c.Tombstones }),
        },
        Json.Indented);

    private static void Draw(WorkerConsole console, DataSource source, DatabaseId id, DatabaseStatistics figures)
    {
        var table = new Table().Border(TableBorder.Rounded);
        table.AddColumn("collection");
        table.AddColumn(new TableColumn("documents").RightAligned());
        table.AddColumn(new TableColumn("tombstones").RightAligned());
        foreach (var collection in figures.Collections)
            table.AddRow(new Text(collection.Name), Number(collection.Documents), Number(collection.Tombstones));
        table.AddRow(new Text("all"), Number(figures.Documents), Number(figures.Tombstones));
        SummaryTable.ConsoleFor(console.Out, console.IsOutputTerminal).Write(table);
        console.Out.WriteLine($"'{source.Name}' in {source.Path}");
        console.Out.WriteLine(string.Create(CultureInfo.InvariantCulture,
            $"position {figures.LastPosition:N0}, {figures.SizeOnDisk / 1048576.0:N1} MiB on disk, id {id}"));
    }

    private static Text Number(long value) => new(value.ToString("N0", CultureInfo.InvariantCulture));
}
