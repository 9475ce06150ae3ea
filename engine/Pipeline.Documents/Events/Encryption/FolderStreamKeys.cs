using System.Collections.Concurrent;
using System.Diagnostics.CodeAnalysis;
using System.Security.Cryptography;
using System.Text;

namespace Pipeline.Documents.Events;

/// <summary>
/// Keys of streams as files of a folder, which should lie outside of the database's and on an encrypted disk. A file is
/// named by a hash of the stream's id and holds 32 random bytes; of a destroyed key it was overwritten and is empty.
/// The folder is backed up by itself, briefly kept, or not at all: a copy of it outlives a destroyed key.
/// </summary>
public sealed class FolderStreamKeys : IStreamKeys
{
    private const int KeyBytes = 32;
    private const int MaxInMemory = 100_000;
    private readonly ConcurrentDictionary<string, byte[]> _known = new(StringComparer.Ordinal);
    private readonly Lock _gate = new();
    private readonly string _folder;

    /// <summary>Opens the folder and creates it if it does not exist.</summary>
    /// <param name="folder">Its path.</param>
    public FolderStreamKeys(string folder)
    {
        ArgumentException.ThrowIfNullOrEmpty(folder);
        Pipeline.Storage.PrivateFile.CreateFolder(folder);
        _folder = Path.GetFullPath(folder);
    }

    /// <inheritdoc/>
    public byte[] GetOrCreate(string streamId)
    {
        if (_known.TryGetValue(streamId, out var key))
            return key;
        lock (_gate)
        {
            var path = PathOf(streamId);
            if (!File.Exists(path))
                Create(path);
            return Load(streamId, path) ?? throw new StreamKeyDestroyedException(streamId);
        }
    }

    /// <inheritdoc/>
    public bool TryGet(string streamId, [NotNullWhen(true)] out byte[]? key)
    {
        if (_known.TryGetValue(streamId, out key))
            return true;
        lock (_gate)
        {
            var path = PathOf(streamId);
            key = File.Exists(path) ? Load(streamId, path) : null;
            return key is not null;
        }
    }

    /// <inheritdoc/>
    public void Destroy(string streamId)
    {
        lock (_gate)
        {
            using (var file = Pipeline.Storage.PrivateFile.Open(PathOf(streamId), FileMode.OpenOrCreate))
            {
                file.Write(RandomNumberGenerator.GetBytes(KeyBytes));
                file.Flush(flushToDisk: true);
                file.SetLength(0);
                file.Flush(flushToDisk: true);
            }

            if (_known.TryRemove(streamId, out var key))
                CryptographicOperations.ZeroMemory(key);
        }
    }

    private static void Create(string path)
    {
        // The key is written under a temporary name first, so that a crash leaves no partial key.
        var unfinished = path + ".new";
        var key = RandomNumberGenerator.GetBytes(KeyBytes);
        using (var file = Pipeline.Storage.PrivateFile.Open(unfinished, FileMode.Create))
        {
            file.Write(key);
            file.Flush(flushToDisk: true);
        }

        CryptographicOperations.ZeroMemory(key);
        File.Move(unfinished, path);
        Pipeline.Storage.NativeStorageFiles.Instance.SyncDirectory(Path.GetDirectoryName(path)!);
    }

    private byte[]? Load(string streamId, string path)
    {
        var key = File.ReadAllBytes(path);
        if (key.Length == 0)
            return null;
        if (key.Length != KeyBytes)
        {
            throw new InvalidOperationException(
                $"The key file '{path}' has {key.Length} bytes, not {KeyBytes}: restore it from a copy."
            );
        }

        if (_known.Count >= MaxInMemory)
            _known.Clear();
        _known[streamId] = key;
        return key;
    }

    private string PathOf(string streamId) =>
        Path.Combine(_folder, Convert.ToHexStringLower(SHA256.HashData(Encoding.UTF8.GetBytes(streamId))) + ".key");
}
