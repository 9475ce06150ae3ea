using Pipeline.Storage;

namespace Pipeline.Cluster;

/// <summary>
/// Empties the folder of a store that is refilled, in an order in which no crash leaves a store that can be opened.
/// </summary>
internal static class StoreFolder
{
    /// <summary>The file that makes a folder a store.</summary>
    public const string DataName = "pipeline.data";

    private const string LockName = "pipeline.lock",
        IndexesName = "indexes";

    /// <summary>
    /// Removes a store, its journal, its position and its indexes. Meanwhile, and after a crash, the folder looks like
    /// one with an interrupted restore, so it cannot be opened.
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
        // Remove the data durably before the refill's position arrives: with that position, an old store would skip
        // transactions.
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
        var indexes = Path.Combine(path, IndexesName);
        if (files is NativeStorageFiles && System.IO.Directory.Exists(indexes))
            System.IO.Directory.Delete(indexes, recursive: true);
    }

    /// <summary>
    /// Moves the whole folder of a quarantined node aside, so that the changes that only it has can be exported and the
    /// node can be refilled. The store must be closed.
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
        while (System.IO.Directory.Exists(QuarantinePath(path, number)))
            number++;
        // The lock keeps others from opening the store while it moves.
        using (files.Lock(Path.Combine(path, LockName), "a quarantine"))
            System.IO.Directory.Move(path, QuarantinePath(path, number));
        files.SyncDirectory(Path.GetDirectoryName(path)!);
        return QuarantinePath(path, number);
    }

    private static string QuarantinePath(string path, int number) =>
        string.Create(System.Globalization.CultureInfo.InvariantCulture, $"{path}.quarantined-{number}");

    /// <summary>Marks the folder as one with an interrupted restore.</summary>
    public static void MarkUnfinished(StorageOptions options)
    {
        var files = FilesOf(options);
        files.Open(Path.Combine(options.Path!, DataName + StoreOpener.UnfinishedSuffix), create: true).Dispose();
        files.SyncDirectory(options.Path!);
    }

    /// <summary>The file system of a store's options.</summary>
    public static IStorageFiles FilesOf(StorageOptions options) => options.Files ?? NativeStorageFiles.Instance;

    private static bool IsOfStore(string file) =>
        Path.GetFileName(file) is PositionFile.Name or FlushFile.Name or DataName + ".new"
        || file.EndsWith(StoreOpener.WitnessSuffix, StringComparison.Ordinal);
}
