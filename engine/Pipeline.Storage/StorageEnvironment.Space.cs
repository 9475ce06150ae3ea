namespace Pipeline.Storage;

public sealed partial class StorageEnvironment
{
    /// <summary>Asks the file system how much room the data and the journal have. Empty for a store in memory, and if the system does not tell.</summary>
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
