namespace Pipeline.Storage;

/// <summary>A store was to be created where one already exists.</summary>
public sealed class StoreExistsException(string path)
    : StorageException($"{path} holds a database already. Name another folder, or move that one away.")
{
    /// <summary>The folder.</summary>
    public string Path { get; } = path;
}

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

/// <summary>
/// The store was written by a newer version in a format that this one does not know. Nothing was changed.
/// </summary>
public sealed class NewerFormatException : StorageException
{
    /// <summary>Names both versions.</summary>
    public NewerFormatException(string file, int found, int supported)
        : base(
            $"{file} has format version {found}; this program reads up to version {supported}. Open it with a newer program."
        )
    {
        File = file;
        Found = found;
        Supported = supported;
    }

    /// <summary>The file that says so.</summary>
    public string File { get; }

    /// <summary>The format version found.</summary>
    public int Found { get; }

    /// <summary>The newest format version this program knows.</summary>
    public int Supported { get; }
}

/// <summary>The journal folder of a store holds a file of another store. Nothing was changed.</summary>
public sealed class ForeignJournalException : StorageException
{
    /// <summary>Names the file and its owner.</summary>
    public ForeignJournalException(string path, string owner)
        : base(
            $"{path} belongs to {owner}. A journal folder belongs to one store: set another journal path (StorageOptions.JournalPath, database.journalPath), or move the file away if that store is gone."
        )
    {
        Path = path;
        Owner = owner;
    }

    /// <summary>The file or folder.</summary>
    public string Path { get; }

    /// <summary>Who owns it.</summary>
    public string Owner { get; }
}

/// <summary>A folder has the remains of an interrupted restore, and no store.</summary>
public sealed class UnfinishedRestoreException(string path, string file)
    : StorageException(
        $"{path} has no database: a restore into it was broken off. Run the restore again; or, to begin with an empty database, delete {file}."
    )
{
    /// <summary>The folder.</summary>
    public string Path { get; } = path;
}
