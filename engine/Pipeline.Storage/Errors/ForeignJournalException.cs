namespace Pipeline.Storage;

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
