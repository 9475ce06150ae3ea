namespace Pipeline.Storage;

/// <summary>A folder has the remains of an interrupted restore, and no store.</summary>
public sealed class UnfinishedRestoreException(string path, string file)
    : StorageException(
        $"{path} has no database: a restore into it was broken off. Run the restore again; or, to begin with an empty database, delete {file}."
    )
{
    /// <summary>The folder.</summary>
    public string Path { get; } = path;
}
