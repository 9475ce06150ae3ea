namespace Pipeline.Storage;

/// <summary>
/// Makes files and folders that only their owner can use: 0600 and 0700 on Linux and macOS, whatever the umask is. What
/// is there already keeps its mode. Stateless.
/// </summary>
public static class PrivateFile
{
    private const UnixFileMode OfFile = UnixFileMode.UserRead | UnixFileMode.UserWrite;
    private const UnixFileMode OfFolder = OfFile | UnixFileMode.UserExecute;

    /// <summary>Opens a file for writing and creates it if it does not exist.</summary>
    /// <param name="path">The file.</param>
    /// <param name="mode">How.</param>
    /// <param name="options">For instance <see cref="FileOptions.Asynchronous"/>.</param>
    /// <exception cref="IOException">As <see cref="FileStream"/> says.</exception>
    public static FileStream Open(string path, FileMode mode, FileOptions options = FileOptions.None)
    {
        var wanted = new FileStreamOptions
        {
            Mode = mode,
            Access = FileAccess.Write,
            Share = FileShare.None,
            BufferSize = 0,
            Options = options,
        };
        if (!OperatingSystem.IsWindows())
            wanted.UnixCreateMode = OfFile;
        return new FileStream(path, wanted);
    }

    /// <summary>Creates an empty file unless the file exists.</summary>
    /// <exception cref="IOException">The file or folder cannot be created.</exception>
    public static void Make(string path)
    {
        if (File.Exists(path))
            return;
        try
        {
            Open(path, FileMode.CreateNew).Dispose();
        }
        catch (IOException) when (File.Exists(path))
        {
            // Somebody else has made it at the same moment.
        }
    }

    /// <summary>Creates a folder and its missing parents.</summary>
    /// <exception cref="IOException">The file or folder cannot be created.</exception>
    public static void CreateFolder(string path)
    {
        if (OperatingSystem.IsWindows())
        {
            Directory.CreateDirectory(path);
            return;
        }
        var full = Path.GetFullPath(path);
        // The framework gives the mode to the last folder alone.
        if (Path.GetDirectoryName(full) is { } above && !Directory.Exists(above))
            CreateFolder(above);
        Directory.CreateDirectory(full, OfFolder);
    }
}
