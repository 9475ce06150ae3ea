namespace Pipeline.Storage;

/// <summary>Keeps a journal folder to one store: its lock, and what may be done with a file that is there.</summary>
internal static class JournalOwnership
{
    /// <summary>The name of the lock file in the journal folder.</summary>
    public const string LockName = "journal.lock";

    /// <summary>Takes the folder's lock.</summary>
    /// <param name="files">The files.</param>
    /// <param name="folder">The journal folder.</param>
    /// <param name="store">The folder of the store that takes it.</param>
    /// <param name="holder">The process that takes it.</param>
    /// <exception cref="ForeignJournalException">Another store uses the folder.</exception>
    public static IDisposable Lock(IStorageFiles files, string folder, string store, string holder)
    {
        try
        {
            return files.Lock(Path.Combine(folder, LockName), $"the store in {Path.GetFullPath(store)}, {holder}");
        }
        catch (StoreInUseException e)
        {
            throw new ForeignJournalException(folder, e.Holder);
        }
    }

    /// <summary>Checks that a file in the way of a new one belongs to this store or to none.</summary>
    /// <exception cref="ForeignJournalException">It is another store's.</exception>
    public static void Check(IStorageFile file, Guid storeId)
    {
        if (JournalFileHeader.Read(file, storeId, out var owner, out _, out _) == JournalFileOwner.Foreign)
            throw new ForeignJournalException(file.Path, owner);
    }

    /// <summary>
    /// Checks the origin of a file in the journal folder of a store that does not exist yet. A store in the same place
    /// must have left it: by an interrupted creation or restore, or by the deletion of a database.
    /// </summary>
    /// <exception cref="ForeignJournalException">It is another store's.</exception>
    public static void CheckLeftover(IStorageFile file, string store, string journal)
    {
        if (JournalFileHeader.Read(file, default, out var owner, out var folder, out _) != JournalFileOwner.Foreign)
            return;
        var place = Path.GetFullPath(store);
        var isOurs =
            folder.Length > 0
                ? folder == place
                : Path.GetFullPath(journal).StartsWith(place + Path.DirectorySeparatorChar, StringComparison.Ordinal);
        if (!isOurs)
            throw new ForeignJournalException(file.Path, owner);
    }
}
