using Microsoft.Extensions.Logging;
using Pipeline.Configuration;
using Pipeline.Database;
using Pipeline.Documents.Transfer;

namespace Pipeline.Runner;

/// <summary>
/// The configuration's <c>import</c>, which runs once, into an empty database. If it is interrupted, the next start
/// resumes it before any task reads the change feed. Its position is committed with the documents, so no document is
/// stored twice.
/// </summary>
internal static class InitialImport
{
    private const string StateKey = "worker/import";

    /// <summary>Imports if an import is due; otherwise returns an empty report.</summary>
    public static async Task<ImportReport> RunAsync(
        DocumentDatabase database,
        PipelineConfiguration configuration,
        ILogger logger,
        CancellationToken cancellationToken
    )
    {
        var nothing = new ImportReport(0, 0, []);
        if (configuration.Import.Count == 0)
            return nothing;
        var place = JsonLinesImport.ReadPlace(database, StateKey);
        if (place is { IsComplete: true } || (place is null && database.LastPosition > 0))
            return nothing;
        CheckFiles(configuration.Import);
        if (place is not null && place.File < configuration.Import.Count)
            RunnerLog.ImportGoesOn(logger, place.Line, configuration.Import[place.File]);
        var options = new ImportOptions { PlaceKey = StateKey };
        var report = await JsonLinesImport
            .ImportAsync(database, configuration.Import, options, cancellationToken)
            .ConfigureAwait(false);
        RunnerLog.Imported(logger, report.Imported, string.Join(", ", configuration.Import.Select(Path.GetFileName)));
        return report;
    }

    /// <summary>Refuses missing files, before anything is opened or created.</summary>
    public static void CheckFiles(IEnumerable<string> files)
    {
        foreach (var file in files)
        {
            if (!File.Exists(file))
                throw new WorkerException($"the import file {file} does not exist", ExitCodes.Usage);
        }
    }
}
