using System.Globalization;
using System.Runtime.CompilerServices;

namespace Pipeline.Backups.Destinations;

/// <summary>A folder of this machine, or one that is mounted. A file gets its name when it is whole and synced.</summary>
public sealed class FolderDestination : IBackupDestination
{
    private const string Unfinished = ".unfinished";
    private readonly string _root;
    private long _temporary;

    /// <summary>Names the folder, which is made when something is written.</summary>
    public FolderDestination(string path)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        _root = Path.GetFullPath(path);
        Description = $"folder {_root}";
    }

    /// <inheritdoc/>
    public string Description { get; }

    /// <inheritdoc/>
    public async Task PutAsync(string name, ReadOnlyMemory<byte> bytes, CancellationToken ct)
    {
        var path = PathOf(name);
        var temporary = string.Create(CultureInfo.InvariantCulture, $"{path}.{Environment.ProcessId}-{Interlocked.Increment(ref _temporary)}{Unfinished}");
        try
        {
            Directory.CreateDirectory(Path.GetDirectoryName(path)!);
            var file = new FileStream(temporary, FileMode.Create, FileAccess.Write, FileShare.None, 0, FileOptions.None);
            await using (file.ConfigureAwait(false))
            {
                await file.WriteAsync(bytes, ct).ConfigureAwait(false);
                file.Flush(flushToDisk: true);
            }
            File.Move(temporary, path, overwrite: true);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or NotSupportedException)
        {
            TryDelete(temporary);
            throw Fault($"writing {name}", e);
        }
        catch (OperationCanceledException)
        {
            TryDelete(temporary);
            throw;
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
            var name = Path.GetRelativePath(_root, file.FullName).Replace(Path.DirectorySeparatorChar, '/');
            if (name.StartsWith(prefix, StringComparison.Ordinal) && !name.EndsWith(Unfinished, StringComparison.Ordinal))
                yield return new StoredObject(name, file.Length, file.LastWriteTimeUtc);
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

    private DestinationException Fault(string operation, Exception e) => new(Description, operation, e.Message, isTransient: false, e);

    private static void TryDelete(string path)
    {
        try
        {
            File.Delete(path);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            // It is not listed, and the error that led here is the one to report.
            _ = e;
        }
    }
}
