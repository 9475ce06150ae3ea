namespace Pipeline.Storage;

/// <summary>An encrypted store was opened without a key, or a plain one with a key. Nothing was changed.</summary>
public sealed class EncryptionMismatchException : StorageException
{
    /// <summary>Names the store and says which it is.</summary>
    public EncryptionMismatchException(string path, bool isEncrypted)
        : base(
            isEncrypted
                ? $"{path} is encrypted, but no key is given (StorageOptions.Encryption; in a configuration: database.encryption; on the command line with --data: --key-file, --key-variable or --key-command)."
                : $"{path} is not encrypted, but a key is given. Open it without one, or export its documents and import them into a new, encrypted database."
        )
    {
        Path = path;
        IsEncrypted = isEncrypted;
    }

    /// <summary>The data file.</summary>
    public string Path { get; }

    /// <summary>Whether the store is the encrypted one.</summary>
    public bool IsEncrypted { get; }
}
