namespace Pipeline.Storage;

/// <summary>
/// The base of all errors that the storage engine raises about stored data; misuse raises the framework's argument
/// errors.
/// </summary>
public abstract class StorageException : Exception
{
    private protected StorageException(string message, Exception? cause = null)
        : base(message, cause) { }
}
