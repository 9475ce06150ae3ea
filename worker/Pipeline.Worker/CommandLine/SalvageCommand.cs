using System.CommandLine;
using System.Globalization;
using System.Text.Json;
using Pipeline.Database;
using Pipeline.Documents.Maintenance;
using Pipeline.Hosting;
using Pipeline.Storage;
using Pipeline.Worker.Terminal;

namespace Pipeline.Worker.CommandLine;

/// <summary><c>pipeline salvage</c>: copies the readable part of a damaged database.</summary>
internal sealed class SalvageCommand : WorkerCommand
{
    private readonly Option<string> _to = new("--to")
    {
        Description = "The new database's folder, empty or not yet existing.",
        HelpName = "FOLDER",
        Required = true,
    };
    private readonly Option<bool> _json = new("--json") { Description = "Print the report as JSON." };

    public SalvageCommand(CommonOptions common)
        : base(
            "salvage",
            "Copy the readable part of a damaged database into a new one and list the losses. Exit code 0 if nothing is lost, otherwise 1. The damaged database is not changed."
        )
    {
        Add(_to);
        Add(_json);
        common.AddDatabaseTo(this);
    }

    /// <inheritdoc/>
    public override string? WhenStopped(ParseResult parsed) =>
        $"'{parsed.GetValue(_to)}' holds a part of the documents; delete it before the next run";

    /// <inheritdoc/>
    public override async Task<int> RunAsync(CommandRun run, CancellationToken cancellationToken)
    {
        var source = DataSource.Find(run.Settings);
        CheckCommand.CheckExists(source);
        var to = Path.GetFullPath(run.Parsed.GetValue(_to)!);
        if (Directory.Exists(to) && Directory.EnumerateFileSystemEntries(to).Any())
            throw new WorkerException($"--to {to} is not empty; name an empty or new folder", ExitCodes.Usage);
        var progress = new MaintenanceLine(run.Console, run.Time, "salvaging");
        DatabaseSalvageReport report;
        try
        {
            report = await DatabaseSalvage
                .RunAsync(
                    new DatabaseOptions
                    {
                        Name = source.Name,
                        Path = source.Path,
                        Storage = source.Storage,
                    },
                    new DatabaseOptions
                    {
                        Name = source.Name,
                        Path = to,
                        Storage = source.StorageOf(to),
                        TimeProvider = run.Time,
                        LoggerFactory = run.Loggers,
                    },
                    progress,
                    cancellationToken
                )
                .ConfigureAwait(false);
        }
        finally
        {
            progress.Clear();
        }
        await run
            .Console.Out.WriteLineAsync(
                run.Parsed.GetValue(_json) ? ToJson(source, to, report) : Describe(source, to, report)
            )
            .ConfigureAwait(false);
        return report.IsComplete ? ExitCodes.Success : ExitCodes.Failed;
    }

    private static string Describe(DataSource source, string to, DatabaseSalvageReport report)
    {
        var lines = new List<string>();
        lines.AddRange(report.Storage.StoreProblems.Select(p => "damage: " + p));
        lines.AddRange(report.Storage.CatalogLost.Select(p => "damage: " + p));
        lines.AddRange(report.Storage.Trees.SelectMany(t => t.Lost).Select(l => "lost: " + l));
        lines.AddRange(
            report
                .Storage.Trees.Where(t => t.LostCount != 0)
                .Select(t =>
                    string.Create(
                        CultureInfo.InvariantCulture,
                        $"lost: {(t.LostCount is { } n ? $"{n:N0} of {t.Expected:N0} keys" : "a number of keys that is not known")} of tree '{t.Name}'"
                    )
                )
        );
        lines.AddRange(report.LostDocuments.Select(d => "lost: " + d));
        lines.AddRange(
            report.Storage.UnplacedPages.Select(p =>
                string.Create(CultureInfo.InvariantCulture, $"lost: page {p} is sound, but fits no tree")
            )
        );
        lines.AddRange(
            report.Storage.UncertainPages.Select(p =>
                string.Create(
                    CultureInfo.InvariantCulture,
                    $"lost: page {p} is sound, but it is unknown whether it was in use"
                )
            )
        );
        lines.AddRange(report.Storage.Notes.Concat(report.Notes).Select(n => "note: " + n));
        lines.Add(
            string.Create(
                CultureInfo.InvariantCulture,
                $"{source.Description} as of transaction {report.Storage.Transaction:N0} copied to {to}: {report.Documents:N0} documents, {report.Tombstones:N0} tombstones, position {report.LastPosition:N0}"
            )
        );
        lines.Add(
            report.IsComplete
                ? "nothing is lost"
                : string.Create(
                    CultureInfo.InvariantCulture,
                    $"NOT all could be copied: {report.LostDocuments.Count:N0} documents are known to be lost"
                )
        );
        return string.Join(Environment.NewLine, lines);
    }

    private static string ToJson(DataSource source, string to, DatabaseSalvageReport report) =>
        JsonSerializer.Serialize(
            new
            {
                source.Name,
                source.Path,
                To = to,
                report.IsComplete,
                report.Storage.Transaction,
                report.Documents,
                report.Tombstones,
                report.LastPosition,
                report.LostDocuments,
                StoreProblems = report.Storage.StoreProblems.Select(p => new
                {
                    p.File,
                    p.Page,
                    p.Reason,
                    p.IsLoss,
                }),
                CatalogLost = report.Storage.CatalogLost.Select(Show),
                Trees = report.Storage.Trees.Select(t => new
                {
                    t.Name,
                    t.IsNameKnown,
                    t.Copied,
                    t.Expected,
                    t.LostCount,
                    Lost = t.Lost.Select(Show),
                }),
                report.Storage.UnplacedPages,
                report.Storage.UncertainPages,
                Notes = report.Storage.Notes.Concat(report.Notes),
            },
            JsonForms.Indented
        );

    private static object Show(LostKeys lost) =>
        new
        {
            lost.Page,
            lost.Reason,
            From = lost.Range.From is { } from ? Convert.ToHexString(from) : null,
            Before = lost.Range.Before is { } before ? Convert.ToHexString(before) : null,
        };
}
