namespace Pipeline.Storage;

/// <summary>
/// All of the file system that the engine uses: real files, memory, or a simulated disk. Implementations are
/// thread-safe. What an operation did is lost in a crash until the file is synced (contents), or the folder is
/// (creation, rename and deletion).
/// </summary>
public interface IStorageFiles
{
    /// <summary>
    /// Creates a folder and its missing parents. A power cut may undo this until each parent folder is synced: see
    /// <see cref="DurableFolder"/>.
    /// </summary>
    void CreateDirectory(string path);

    /// <summary>Whether a folder exists.</summary>
    bool DirectoryExists(string path);

    /// <summary>Whether a file exists.</summary>
    bool Exists(string path);

    /// <summary>
    /// The full paths of a folder's files whose names end with the suffix; empty if there is no such folder.
    /// </summary>
    IReadOnlyList<string> List(string directory, string suffix);

    /// <summary>
    /// A number that distinguishes a file from every copy of it: its creation time, on Windows its number and that of its
    /// volume. It stays when the file is renamed, and when its disk is attached to another machine. 0 where the file
    /// system does not say.
    /// </summary>
    long IdentityOf(string path) => 0;

    /// <summary>Opens a file for reading and writing, creating it empty where asked and missing.</summary>
    /// <exception cref="FileNotFoundException">There is none and it was not to be created.</exception>
    IStorageFile Open(string path, bool create);

    /// <summary>Renames a file, replacing the target.</summary>
    void Move(string source, string target);

    /// <summary>Deletes a file; does nothing if there is none.</summary>
    void Delete(string path);

    /// <summary>Makes creations, renames and deletions in a folder durable.</summary>
    void SyncDirectory(string path);

    /// <summary>
    /// The free bytes of a folder's file system, as far as this process may use them; null if unknown.
    /// </summary>
    long? FindFreeBytes(string directory) => null;

    /// <summary>
    /// Takes the exclusive lock that the file stands for, until disposal, and writes the holder's name into it.
    /// </summary>
    /// <exception cref="StoreInUseException">Someone else has it.</exception>
    IDisposable Lock(string path, string holder);
}
