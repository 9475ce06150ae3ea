using System.Text;
using Microsoft.Win32.SafeHandles;

namespace Pipeline.Storage;

/// <summary>The real file system of Linux and macOS.</summary>
public sealed class NativeStorageFiles : IStorageFiles
{
    /// <summary>The one instance; it has no state.</summary>
    public static NativeStorageFiles Instance { get; } = new();

    private NativeStorageFiles()
    {
    }

    /// <inheritdoc/>
    public void CreateDirectory(string path) => Directory.CreateDirectory(path);

    /// <inheritdoc/>
    public bool DirectoryExists(string path) => Directory.Exists(path);

    /// <inheritdoc/>
    public bool Exists(string path) => File.Exists(path);

    /// <inheritdoc/>
    public IReadOnlyList<string> List(string directory, string suffix) =>
        Directory.Exists(directory) ? [.. Directory.GetFiles(directory).Where(f => f.EndsWith(suffix, StringComparison.Ordinal))] : [];

    /// <inheritdoc/>
    public long IdentityOf(string path) => NativeMethods.BirthTime(path);

    /// <inheritdoc/>
    public IStorageFile Open(string path, bool create)
    {
        if (OperatingSystem.IsWindows())
            throw new PlatformNotSupportedException("Stores on disk need Linux or macOS; on Windows open one in memory (StorageOptions.Path = null) or run the worker's container image.");
        return new NativeStorageFile(path, create, NativeMethods.OpenDirect);
    }

    /// <inheritdoc/>
    public void Move(string source, string target) => File.Move(source, target, overwrite: true);

    /// <inheritdoc/>
    public void Delete(string path) => File.Delete(path);

    /// <inheritdoc/>
    public void SyncDirectory(string path)
    {
        var descriptor = NativeMethods.OpenExisting(path, 0);
        if (descriptor < 0)
            throw NativeMethods.Error(path, "open of the folder", denied: true);
        var result = NativeMethods.Sync(descriptor);
        var error = result == 0 ? null : NativeMethods.Error(path, "sync of the folder");
        _ = NativeMethods.Close(descriptor);
        if (error is not null)
            throw error;
    }

    /// <inheritdoc/>
    public long? FindFreeBytes(string directory)
    {
        try
        {
            return new DriveInfo(Path.GetFullPath(directory)).AvailableFreeSpace;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or ArgumentException)
        {
            return null;
        }
    }

    /// <inheritdoc/>
    public IDisposable Lock(string path, string holder)
    {
        SafeFileHandle handle;
        try
        {
            handle = File.OpenHandle(path, FileMode.OpenOrCreate, FileAccess.ReadWrite, FileShare.ReadWrite);
        }
        catch (IOException) when (File.Exists(path) && !Directory.Exists(path))
        {
            // The framework itself asks for a shared lock on opening, which the holder's exclusive one denies.
            throw new StoreInUseException(path, ReadHolder(path));
        }
        try
        {
            if (NativeMethods.Lock((int)handle.DangerousGetHandle(), NativeMethods.LockExclusive | NativeMethods.LockNonBlocking) != 0)
                throw new StoreInUseException(path, ReadHolder(path));
            RandomAccess.SetLength(handle, 0);
            RandomAccess.Write(handle, Encoding.UTF8.GetBytes(holder), 0);
            return handle;
        }
        catch
        {
            handle.Dispose();
            throw;
        }
    }

    /// <summary>The text of a lock file, read past its lock.</summary>
    private static unsafe string ReadHolder(string path)
    {
        var descriptor = NativeMethods.OpenExisting(path, 0);
        if (descriptor < 0)
            return "an unnamed process";
        var text = stackalloc byte[512];
        var n = NativeMethods.Read(descriptor, text, 512, 0);
        _ = NativeMethods.Close(descriptor);
        return n <= 0 ? "an unnamed process" : Encoding.UTF8.GetString(text, (int)n).Trim();
    }
}
