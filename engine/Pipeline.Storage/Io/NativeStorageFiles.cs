namespace Pipeline.Storage;

/// <summary>
/// The real file system of Linux, macOS and Windows. What it makes is for its owner alone on Linux and macOS (<see
/// cref="PrivateFile"/>); on Windows the folder above decides.
/// </summary>
public sealed class NativeStorageFiles : IStorageFiles
{
    /// <summary>The one instance; it has no state.</summary>
    public static NativeStorageFiles Instance { get; } =
        new(locksData: OperatingSystem.IsLinux() || OperatingSystem.IsWindows());

    private readonly bool _locksData;

    /// <summary>Makes one.</summary>
    /// <param name="locksData">
    /// Whether the system can lock the data file itself. If not, each flush checks the lock files.
    /// </param>
    internal NativeStorageFiles(bool locksData) => _locksData = locksData;

    /// <inheritdoc/>
    public void CreateDirectory(string path) => PrivateFile.CreateFolder(path);

    /// <inheritdoc/>
    public bool DirectoryExists(string path) => Directory.Exists(path);

    /// <inheritdoc/>
    public bool Exists(string path) => File.Exists(path);

    /// <inheritdoc/>
    public IReadOnlyList<string> List(string directory, string suffix) =>
        Directory.Exists(directory)
            ? [.. Directory.GetFiles(directory).Where(f => f.EndsWith(suffix, StringComparison.Ordinal))]
            : [];

    /// <inheritdoc/>
    public long IdentityOf(string path) =>
        OperatingSystem.IsWindows() ? WindowsFiles.IdentityOf(path) : NativeMethods.BirthTime(path);

    /// <inheritdoc/>
    public IStorageFile Open(string path, bool create) =>
        OperatingSystem.IsWindows()
            ? WindowsFiles.Retry(() => new WindowsStorageFile(path, create))
            : new NativeStorageFile(path, create, NativeMethods.OpenDirect, _locksData);

    /// <inheritdoc/>
    public void Move(string source, string target)
    {
        if (OperatingSystem.IsWindows())
            WindowsFiles.Move(source, target);
        else
            File.Move(source, target, overwrite: true);
    }

    /// <inheritdoc/>
    public void Delete(string path)
    {
        if (OperatingSystem.IsWindows())
            WindowsFiles.Delete(path);
        else
            File.Delete(path);
    }

    /// <inheritdoc/>
    public void SyncDirectory(string path)
    {
        // Windows has no such call. NTFS and ReFS log changes of names in their order; a sync of a file forces the log
        // out up to the file's own changes, and Move waits for its own.
        if (OperatingSystem.IsWindows())
            return;
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
    public IDisposable Lock(string path, string holder) => new LockFile(path, holder, watched: !_locksData);
}
