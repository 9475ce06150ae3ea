namespace Pipeline.Storage;

/// <summary>Makes folders that survive a power cut, with all folders above them that are new.</summary>
public static class DurableFolder
{
    /// <summary>
    /// Creates a folder if it is missing. Its name in the parent folder is durable when this returns, even if the
    /// folder already existed: the process that created it may have been killed before it synced the parent.
    /// </summary>
    /// <param name="files">The file system.</param>
    /// <param name="path">The folder.</param>
    public static void Create(IStorageFiles files, string path)
    {
        ArgumentNullException.ThrowIfNull(files);
        var full = Path.TrimEndingDirectorySeparator(Path.GetFullPath(path));
        var missing = new Stack<string>();
        var existing = full;
        while (!files.DirectoryExists(existing) && Path.GetDirectoryName(existing) is { } above)
        {
            missing.Push(existing);
            existing = above;
        }
        SyncAbove(files, existing);
        while (missing.TryPop(out var folder))
        {
            files.CreateDirectory(folder);
            SyncAbove(files, folder);
        }
    }

    private static void SyncAbove(IStorageFiles files, string folder)
    {
        if (Path.GetDirectoryName(folder) is not { } above)
            return;
        try
        {
            files.SyncDirectory(above);
        }
        catch (UnauthorizedAccessException)
        {
            // A folder that may not be read cannot be synced: the name becomes durable when the system next writes by
            // itself.
        }
    }
}
