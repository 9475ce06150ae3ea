using Pipeline.Storage;

namespace Pipeline.Cluster;

/// <summary>Empties the folder of a store that is filled anew, in an order that no crash can turn into a store.</summary>
internal static class StoreFolder
{
    /// <summary>The file that makes a folder a store.</summary>
    public const string DataName = "pipeline.data";

    private const string LockName = "pipeline.lock",
        BesideName = "indexes";

    /// <summary>
    /// Removes a store, its journal, its position and its indexes. While it does so, and after a crash in it, the folder
    /// looks as a restore that was broken off does, and opening it is refused.
    /// </summary>
    /// <exception cref="StoreInUseException">The store is open.</exception>
    public static void Empty(StorageOptions options)
    {
        var (files, path) = (FilesOf(options), options.Path!);
        DurableFolder.Create(files, path);
        using var taken = files.Lock(
            Path.Combine(path, LockName),
            $"a refill by process {Environment.ProcessId} on {Environment.MachineName}"
        );
        var data = Path.Combine(path, DataName);
        MarkUnfinished(options);
        // Durably before the position that the refill brings: with that one, an old store would skip transactions.
        files.Delete(data);
        files.SyncDirectory(path);
        foreach (var file in files.List(path, "").Where(IsOfStore))
            files.Delete(file);
        files.SyncDirectory(path);
        var journal = options.JournalPath ?? Path.Combine(path, "journal");
        if (files.DirectoryExists(journal))
        {
            foreach (var file in files.List(journal, "").Where(f => Path.GetFileName(f) != JournalOwnership.LockName))
                files.Delete(file);
            files.SyncDirectory(journal);
        }
        var beside = Path.Combine(path, BesideName);
        if (files is NativeStorageFiles && System.IO.Directory.Exists(beside))
            System.IO.Directory.Delete(beside, recursive: true);
    }

    /// <summary>
    /// Sets the folder of a quarantined node aside, whole, so that what only it has can be exported, and the node be
    /// filled anew. The store must be closed.
    /// </summary>
    /// <param name="options">The node's store, in real files, with its journal in its folder.</param>
    /// <returns>The folder's new path, in the same parent folder.</returns>
    /// <exception cref="StoreInUseException">The store is open.</exception>
    /// <exception cref="NotSupportedException">The journal is in a separate folder.</exception>
    public static string SetAside(StorageOptions options)
    {
        if (options.JournalPath is not null || FilesOf(options) is not NativeStorageFiles files)
        {
            throw new NotSupportedException(
                $"The store in {options.Path} has a separate journal folder. Move both folders away by hand."
            );
        }

        var path = Path.TrimEndingDirectorySeparator(Path.GetFullPath(options.Path!));
        var number = 1;
        while (System.IO.Directory.Exists(Aside(path, number)))
            number++;
        // Nobody may open the store while it moves.
        using (files.Lock(Path.Combine(path, LockName), "a quarantine"))
            System.IO.Directory.Move(path, Aside(path, number));
        files.SyncDirectory(Path.GetDirectoryName(path)!);
        return Aside(path, number);
    }

    private static string Aside(string path, int number) =>
        string.Create(System.Globalization.CultureInfo.InvariantCulture, $"{path}.quarantined-{number}");

    /// <summary>Lets the folder look as a restore that was broken off does.</summary>
    public static void MarkUnfinished(StorageOptions options)
    {
        var files = FilesOf(options);
        files.Open(Path.Combine(options.Path!, DataName + StoreOpener.UnfinishedSuffix), create: true).Dispose();
        files.SyncDirectory(options.Path!);
    }

    /// <summary>The files of a store's options.</summary>
    public static IStorageFiles FilesOf(StorageOptions options) => options.Files ?? NativeStorageFiles.Instance;

    private static bool IsOfStore(string file) =>
        Path.GetFileName(file) is PositionFile.Name or FlushFile.Name or DataName + ".new"
        || file.EndsWith(StoreOpener.WitnessSuffix, StringComparison.Ordinal);
}
