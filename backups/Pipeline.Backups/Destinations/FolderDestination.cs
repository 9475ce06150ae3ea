using System.Collections.Concurrent;
using System.Globalization;
using System.Runtime.CompilerServices;
using Pipeline.Backups.Chunks;
using Pipeline.Storage;

namespace Pipeline.Backups.Destinations;

/// <summary>
/// A local or mounted folder. A file gets its name once it is complete and synced; <see cref="SettleAsync"/> syncs the
/// names.
/// </summary>
public sealed class FolderDestination : IBackupDestination
{
    private const string Unfinished = ".unfinished";
    private readonly string _root;
    private readonly IStorageFiles _files;

    // Folders with names that a power cut may remove. Once a folder is listed, this includes names that a killed run
    // created.
    private readonly ConcurrentDictionary<string, bool> _unsettled = new(StringComparer.Ordinal);
    private readonly ConcurrentDictionary<string, bool> _made = new(StringComparer.Ordinal);
    private long _temporary;

    /// <summary>Creates a destination; the folder is created at the first write.</summary>
    public FolderDestination(string path)
        : this(path, NativeStorageFiles.Instance) { }

    /// <summary>Same as the other overload, with other files.</summary>
    internal FolderDestination(string path, IStorageFiles files)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        _files = files;
        _root = Path.GetFullPath(path);
        Description = $"folder {_root}";
    }

    /// <inheritdoc/>
    public string Description { get; }

    /// <inheritdoc/>
    public async Task PutAsync(string name, ReadOnlyMemory<byte> bytes, CancellationToken ct)
    {
        var path = PathOf(name);
        var temporary = string.Create(
            CultureInfo.InvariantCulture,
            $"{path}.{Environment.ProcessId}-{Interlocked.Increment(ref _temporary)}{Unfinished}"
        );
        try
        {
            await Task.Run(() => Put(path, temporary, bytes.Span), ct).ConfigureAwait(false);
        }
        catch (Exception e) when (IsOfFile(e) || e is NotSupportedException)
        {
            TryDelete(temporary);
            throw Fault($"writing {name}", e);
        }
    }

    /// <inheritdoc/>
    public async Task SettleAsync(CancellationToken ct)
    {
        foreach (var folder in _unsettled.Keys)
        {
            try
            {
                // Removed before the sync, so that an object put during the sync marks the folder again.
                _unsettled.TryRemove(folder, out _);
                await Task.Run(() => _files.SyncDirectory(folder), ct).ConfigureAwait(false);
            }
            catch (Exception e) when (IsOfFile(e) || e is OperationCanceledException)
            {
                _unsettled[folder] = true;
                if (e is OperationCanceledException)
                    throw;
                throw Fault($"syncing {folder}", e);
            }
        }
    }

    /// <inheritdoc/>
    public async Task<byte[]?> GetAsync(string name, CancellationToken ct)
    {
        try
        {
            return await File.ReadAllBytesAsync(PathOf(name), ct).ConfigureAwait(false);
        }
        catch (Exception e) when (e is FileNotFoundException or DirectoryNotFoundException)
        {
            return null;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw Fault($"reading {name}", e);
        }
    }

    /// <inheritdoc/>
    public async IAsyncEnumerable<StoredObject> ListAsync(string prefix, [EnumeratorCancellation] CancellationToken ct)
    {
        await Task.CompletedTask.ConfigureAwait(false);
        foreach (var file in Files(prefix))
        {
            ct.ThrowIfCancellationRequested();
            _unsettled[file.DirectoryName!] = true;
            var name = Path.GetRelativePath(_root, file.FullName).Replace(Path.DirectorySeparatorChar, '/');
            if (
                name.StartsWith(prefix, StringComparison.Ordinal)
                && !name.EndsWith(Unfinished, StringComparison.Ordinal)
            )
            {
                yield return new StoredObject(name, file.Length, file.LastWriteTimeUtc);
            }
        }
    }

    /// <inheritdoc/>
    public Task DeleteAsync(string name, CancellationToken ct)
    {
        try
        {
            if (Directory.Exists(Path.GetDirectoryName(PathOf(name))))
                File.Delete(PathOf(name));
            return Task.CompletedTask;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw Fault($"deleting {name}", e);
        }
    }

    /// <inheritdoc/>
    public ValueTask DisposeAsync() => ValueTask.CompletedTask;

    private List<FileInfo> Files(string prefix)
    {
        try
        {
            var folder = new DirectoryInfo(Path.Combine(_root, prefix[..(prefix.LastIndexOf('/') + 1)]));
            return folder.Exists ? folder.EnumerateFiles("*", SearchOption.AllDirectories).ToList() : [];
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw Fault($"listing {prefix}", e);
        }
    }

    private string PathOf(string name)
    {
        ObjectNames.Check(name);
        return Path.Combine(_root, name.Replace('/', Path.DirectorySeparatorChar));
    }

    private void Put(string path, string temporary, ReadOnlySpan<byte> bytes)
    {
        var folder = Path.GetDirectoryName(path)!;
        // Once per folder, because it also syncs the parent folder.
        if (!_made.ContainsKey(folder) || !_files.DirectoryExists(folder))
        {
            DurableFolder.Create(_files, folder);
            _made[folder] = true;
        }
        using (var file = _files.Open(temporary, create: true))
        {
            file.Write(0, bytes);
            file.Truncate(bytes.Length);
            file.Sync();
        }
        _files.Move(temporary, path);
        _unsettled[folder] = true;
    }

    /// <summary>Whether the file system reported the error. A full disk has its own exception type.</summary>
    private static bool IsOfFile(Exception e) => e is IOException or UnauthorizedAccessException or DiskFullException;

    private DestinationException Fault(string operation, Exception e) =>
        new(Description, operation, e.Message, isTransient: false, e);

    private void TryDelete(string path)
    {
        try
        {
            _files.Delete(path);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            // The temporary file is not listed, and the error that led here is the one to report.
            _ = e;
        }
    }
}
