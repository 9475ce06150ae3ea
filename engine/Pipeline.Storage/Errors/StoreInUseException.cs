namespace Pipeline.Storage;

/// <summary>Another environment, in this process or another, holds the store.</summary>
public sealed class StoreInUseException : StorageException
{
    /// <summary>
    /// The holder of a store whose lock file names none, because it was removed or replaced while the store was open.
    /// </summary>
    internal const string Unnamed = "a process whose lock file was removed";

    /// <summary>Names the store and its holder.</summary>
    public StoreInUseException(string path, string holder)
        : base($"{path} is in use by {holder}. One process at a time can open a store; stop that process first.")
    {
        Path = path;
        Holder = holder;
    }

    /// <summary>The store's lock file, or its data file.</summary>
    public string Path { get; }

    /// <summary>Who holds it, as the lock file says: process id, host, start time.</summary>
    public string Holder { get; }
}
