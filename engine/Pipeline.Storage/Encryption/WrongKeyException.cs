namespace Pipeline.Storage;

/// <summary>The store is encrypted under another key. Nothing was changed.</summary>
public sealed class WrongKeyException : StorageException
{
    /// <summary>Names the store and where the key came from.</summary>
    public WrongKeyException(string path, string source)
        : base(
            $"{path} is encrypted under another key than the one from {source}. After an interrupted change of the key, either the former or the new one opens it."
        )
    {
        Path = path;
        KeySource = source;
    }

    /// <summary>The data file.</summary>
    public string Path { get; }

    /// <summary>Where the key came from.</summary>
    public string KeySource { get; }
}
