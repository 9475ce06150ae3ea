using System.Text;
using Microsoft.Extensions.Logging;
using Pipeline.Database;
using Pipeline.Database.Transfer;
using Pipeline.Etl.Configuration;

namespace Pipeline.Worker.Hosting;

/// <summary>The configuration's <c>import</c>: done once, into an empty database. One that was interrupted is done again at the next start, before any
/// task reads the change feed; documents that it had stored become new versions of themselves.</summary>
internal static class InitialImport
{
    private const string StateKey = "worker/import";

    /// <summary>Imports where that is due; else gives a report of nothing.</summary>
    public static async Task<ImportReport> RunAsync(
        DocumentDatabase database, PipelineConfiguration configuration, ILogger logger, CancellationToken cancellationToken)
    {
        var nothing = new ImportReport(0, 0, []);
        if (configuration.Import.Count == 0)
            return nothing;
        var state = ReadState(database);
        if (state == "done" || (state is null && database.LastPosition > 0))
            return nothing;
        CheckFiles(configuration.Import);
        if (state is not null)
            WorkerLog.ImportAgain(logger);
        await WriteStateAsync(database, "running", cancellationToken).ConfigureAwait(false);
        try
        {
            var report = await JsonLinesImport.ImportAsync(database, configuration.Import, options: null, cancellationToken).ConfigureAwait(false);
            await WriteStateAsync(database, "done", cancellationToken).ConfigureAwait(false);
            WorkerLog.Imported(logger, report.Imported, string.Join(", ", configuration.Import.Select(Path.GetFileName)));
            return report;
        }
        catch (ImportException)
        {
            await database.WriteAsync(t => t.DeleteState(StateKey), CancellationToken.None).ConfigureAwait(false);
            throw;
        }
    }

    /// <summary>Refuses files that are not there, before anything is opened or made.</summary>
    public static void CheckFiles(IEnumerable<string> files)
    {
        foreach (var file in files)
            if (!File.Exists(file))
                throw new WorkerException($"there is no file {file} to import", ExitCodes.Usage);
    }

    private static string? ReadState(DocumentDatabase database)
    {
        using var snapshot = database.OpenSnapshot();
        return snapshot.GetState(StateKey) is { } bytes ? Encoding.UTF8.GetString(bytes) : null;
    }

    private static Task WriteStateAsync(DocumentDatabase database, string state, CancellationToken cancellationToken) =>
        database.WriteAsync(t => t.SetState(StateKey, Encoding.UTF8.GetBytes(state)), cancellationToken);
}
