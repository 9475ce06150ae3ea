namespace Pipeline.Storage;

public sealed partial class StorageEnvironment
{
    /// <summary>
    /// Returns the free space of the file systems of data and journal. Empty for a store in memory, or if unknown.
    /// </summary>
    /// <exception cref="ObjectDisposedException">The environment is closed.</exception>
    public IReadOnlyList<DiskSpace> GetDiskSpace()
    {
        ObjectDisposedException.ThrowIf(Volatile.Read(ref _disposed), this);
        if (_store.Journal is not { } journal || System.IO.Path.GetDirectoryName(_store.Data.Path) is not { } folder)
            return [];
        var found = new List<DiskSpace>(2);
        Add("data", folder, _store.Options.InitialDataFileBytes);
        Add("journal", journal.Directory, journal.NextFileBytes);
        return found;

        void Add(string part, string directory, long needed)
        {
            if (_store.Files.FindFreeBytes(directory) is { } free)
                found.Add(new DiskSpace(part, directory, free, needed));
        }
    }
}
