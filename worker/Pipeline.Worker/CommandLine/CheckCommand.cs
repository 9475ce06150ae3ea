using System.CommandLine;
using System.Globalization;
using System.Text.Json;
using Pipeline.Database;
using Pipeline.Documents.Maintenance;
using Pipeline.Hosting;
using Pipeline.Worker.Terminal;

namespace Pipeline.Worker.CommandLine;

/// <summary><c>pipeline check</c>: verifies a database that no process has open.</summary>
internal sealed class CheckCommand : WorkerCommand
{
    private readonly Option<bool> _json = new("--json") { Description = "Print the report as JSON." };

    public CheckCommand(CommonOptions common)
        : base(
            "check",
            "Verify everything that a database holds, without changing it; exit code 0 if all is sound, 1 if not. No process may have it open."
        )
    {
        Add(_json);
        common.AddDatabaseTo(this);
    }

    /// <inheritdoc/>
    public override async Task<int> RunAsync(CommandRun run, CancellationToken cancellationToken)
    {
        var source = DataSource.Find(run.Settings);
        CheckExists(source);
        var started = run.Time.GetTimestamp();
        var progress = new MaintenanceLine(run.Console, run.Time, "checking");
        DatabaseCheckReport report;
        try
        {
            report = await Task.Run(
                    () =>
                        DatabaseCheck.Run(
                            new DatabaseOptions
                            {
                                Name = source.Name,
                                Path = source.Path,
                                Storage = source.Storage,
                            },
                            progress,
                            cancellationToken
                        ),
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
                run.Parsed.GetValue(_json)
                    ? ToJson(source, report)
                    : Describe(source, report, run.Time.GetElapsedTime(started))
            )
            .ConfigureAwait(false);
        return report.IsSound ? ExitCodes.Success : ExitCodes.Failed;
    }

    /// <summary>Refuses a folder without a data file.</summary>
    internal static void CheckExists(DataSource source)
    {
        OpenedDatabase.CheckExists(source);
        if (!File.Exists(Path.Combine(source.Path, "pipeline.data")))
        {
            throw new WorkerException(
                $"there is no database in {source.Path}: pipeline.data is missing",
                ExitCodes.Usage
            );
        }
    }

    private static string Describe(DataSource source, DatabaseCheckReport report, TimeSpan took)
    {
        var lines = new List<string>();
        lines.AddRange(report.Notes.Select(n => "note: " + n));
        lines.AddRange(report.Storage.StoreProblems.Select(p => "damage: " + p));
        lines.AddRange(report.Storage.Problems.Select(p => "damage: " + p));
        lines.AddRange(report.Problems.Select(p => "affected: " + p));
        var more =
            report.Storage.ProblemCount + report.ProblemCount - report.Storage.Problems.Count - report.Problems.Count;
        if (more > 0)
            lines.Add(string.Create(CultureInfo.InvariantCulture, $"and {more:N0} more"));
        var used = report.Storage.PageCount - report.Storage.FreePages;
        lines.Add(
            string.Create(
                CultureInfo.InvariantCulture,
                $"{source.Description}: transaction {report.Storage.Transaction:N0}; {used:N0} pages in {report.Storage.Trees.Count:N0} trees, {report.Storage.FreePages:N0} free pages; {report.Documents:N0} documents, {report.Tombstones:N0} tombstones; position {report.LastPosition:N0}; checked in {took.TotalSeconds:0.0} s"
            )
        );
        lines.Add(
            report.IsSound
                ? "all is sound"
                : string.Create(
                    CultureInfo.InvariantCulture,
                    $"NOT sound: {report.Storage.StoreProblems.Count + report.Storage.ProblemCount:N0} faults in the storage, {report.ProblemCount:N0} in what the documents say; restore a backup, or 'pipeline salvage --data {source.Path} --to FOLDER' copies what can be read"
                )
        );
        return string.Join(Environment.NewLine, lines);
    }

    private static string ToJson(DataSource source, DatabaseCheckReport report) =>
        JsonSerializer.Serialize(
            new
            {
                source.Name,
                source.Path,
                report.IsSound,
                report.Storage.Transaction,
                report.Storage.PageCount,
                report.Storage.FreePages,
                report.JournalBytes,
                report.Documents,
                report.Tombstones,
                report.LastPosition,
                report.Notes,
                StoreProblems = report.Storage.StoreProblems.Select(p => new
                {
                    p.File,
                    p.Page,
                    p.Reason,
                }),
                TreeProblems = report.Storage.Problems.Select(p => new
                {
                    p.Tree,
                    p.Page,
                    p.Reason,
                    Keys = p.Affected?.ToString(),
                }),
                StorageProblemCount = report.Storage.StoreProblems.Count + report.Storage.ProblemCount,
                DocumentProblems = report.Problems.Select(p => new
                {
                    p.DocumentId,
                    p.Position,
                    p.Reason,
                }),
                DocumentProblemCount = report.ProblemCount,
                Trees = report.Storage.Trees.Select(t => new
                {
                    Name = t.Tree,
                    t.Count,
                    t.LeafPages,
                    t.BranchPages,
                    t.OverflowPages,
                    Problems = t.ProblemCount,
                }),
            },
            JsonForms.Indented
        );
}
