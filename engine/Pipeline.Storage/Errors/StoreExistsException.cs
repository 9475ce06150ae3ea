namespace Pipeline.Storage;

/// <summary>A store was to be created where one already exists.</summary>
public sealed class StoreExistsException(string path)
    : StorageException($"{path} holds a database already. Name another folder, or move that one away.")
{
    /// <summary>The folder.</summary>
    public string Path { get; } = path;
}
