using Microsoft.Extensions.Logging;
using Pipeline.Cluster;
using Pipeline.Database;
using Pipeline.Documents.Transfer;
using Pipeline.Storage;

namespace Pipeline.Hosting.Cluster;

/// <summary>
/// The folder of a node whose store has changes that the log does not have, or is unusable. When an operator abandons
/// it, the next start sets it aside as <c>NAME.quarantined-N</c>. Once the node has a new copy, the changes that only
/// the folder has are exported. Nothing in it is deleted.
/// </summary>
internal static class SetAsideFolder
{
    /// <summary>The file in a database's folder that marks the folder as abandoned.</summary>
    public const string RequestName = "refill.wanted";

    /// <summary>The file in a folder set aside with the documents that only it has, as JSON lines.</summary>
    public const string ExportName = "only-here.jsonl";

    /// <summary>
    /// The file next to <see cref="ExportName"/> with the ids of documents that were deleted only there.
    /// </summary>
    public const string DeletedName = "only-here.deleted";

    private const string Suffix = ".quarantined-";

    /// <summary>Marks a folder durably as abandoned.</summary>
    public static void Request(string folder)
    {
        var files = NativeStorageFiles.Instance;
        files.Open(Path.Combine(folder, RequestName), create: true).Dispose();
        files.SyncDirectory(folder);
    }

    /// <summary>Moves the folder away if it is marked as abandoned. The store must be closed.</summary>
    /// <exception cref="ClusterException">The folder cannot be moved.</exception>
    public static void MoveIfRequested(StorageOptions store, string node, ILoggerFactory loggers)
    {
        if (!File.Exists(Path.Combine(store.Path!, RequestName)))
            return;
        try
        {
            var aside = StoreFolder.SetAside(store);
            ClusterLog.SetAside(loggers.CreateLogger("Pipeline.Cluster"), node, aside);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or NotSupportedException)
        {
            throw new ClusterException(
                $"the folder {store.Path} (database.path) cannot be set aside: {e.Message} Move its content away by hand, and start the node again.",
                isUsage: true
            );
        }
    }

    /// <summary>The folders set aside next to a database's folder that were not exported yet.</summary>
    public static IReadOnlyList<string> ToExport(string folder)
    {
        var path = Path.TrimEndingDirectorySeparator(Path.GetFullPath(folder));
        return
        [
            .. Directory
                .EnumerateDirectories(Path.GetDirectoryName(path)!, Path.GetFileName(path) + Suffix + "*")
                .Where(f => !File.Exists(Path.Combine(f, ExportName)))
                .Order(StringComparer.Ordinal),
        ];
    }

    /// <summary>
    /// Exports the changes that only a folder has into files in it. Logs a failure; the next start tries again.
    /// </summary>
    /// <param name="folder">The folder that was set aside.</param>
    /// <param name="options">The database's options.</param>
    /// <param name="database">The database, which has everything that the log holds.</param>
    /// <param name="loggers">The loggers.</param>
    /// <param name="ct">Stops it.</param>
    public static async Task ExportAsync(
        string folder,
        DatabaseOptions options,
        DocumentDatabase database,
        ILoggerFactory loggers,
        CancellationToken ct
    )
    {
        var logger = loggers.CreateLogger("Pipeline.Cluster");
        var file = Path.Combine(folder, ExportName);
        try
        {
            DifferenceReport report;
            var old = DocumentDatabase.Open(options with { Path = folder });
            await using (old.ConfigureAwait(false))
            {
                using var here = old.OpenSnapshot("set aside");
                using var there = database.OpenSnapshot("set aside");
                using var lines = new FileStream(file + ".part", FileMode.Create, FileAccess.Write);
                report = await DifferenceExport.ExportAsync(here, there, lines, ct).ConfigureAwait(false);
                lines.Flush(flushToDisk: true);
            }
            await File.WriteAllLinesAsync(Path.Combine(folder, DeletedName), report.Deleted, ct).ConfigureAwait(false);
            File.Move(file + ".part", file, overwrite: true);
            ClusterLog.Exported(logger, report.Documents, report.Deleted.Count, folder, file);
        }
        catch (Exception e) when (e is StorageException or IOException or UnauthorizedAccessException)
        {
            ClusterLog.NotExported(logger, folder, e);
        }
    }
}
