using System.Security.Cryptography;
using Pipeline.Storage;

namespace Pipeline.Backups.Restoring;

/// <summary>
/// A temporary folder for a restored database that is deleted on disposal. The database or its backup may be encrypted,
/// and a process that is killed leaves the folder behind: so the store is encrypted with a key that is only in memory.
/// </summary>
internal sealed class ScratchStore : IDisposable
{
    /// <summary>Names a new folder; the restore creates it.</summary>
    /// <param name="purpose">A word in the folder's name.</param>
    /// <param name="like">The other options of the store; null for the defaults.</param>
    /// <param name="parent">The folder that it is in; null for the system's temporary folder.</param>
    public ScratchStore(string purpose, StorageOptions? like = null, string? parent = null)
    {
        Folder = Path.Combine(parent ?? Path.GetTempPath(), $"pipeline-{purpose}-{Guid.NewGuid():n}");
        Options = (like ?? new StorageOptions()) with
        {
            Path = Folder,
            JournalPath = null,
            ScrubInterval = null,
            Encryption = new StorageEncryption { Key = RandomNumberGenerator.GetBytes(32) },
        };
    }

    /// <summary>The folder's path.</summary>
    public string Folder { get; }

    /// <summary>The options that open the store.</summary>
    public StorageOptions Options { get; }

    /// <inheritdoc/>
    public void Dispose()
    {
        if (Directory.Exists(Folder))
            Directory.Delete(Folder, recursive: true);
    }
}
