namespace Pipeline.Storage;

/// <summary>Opens files that must be regular ones. Stateless.</summary>
public static class RegularFile
{
    /// <summary>
    /// Opens an existing file to read. Never waits: an ordinary open of a named pipe without a writer would block
    /// forever.
    /// </summary>
    /// <param name="path">The file; links are followed.</param>
    /// <exception cref="IOException">
    /// It is a pipe, a socket or a terminal; or as <see cref="FileStream"/> says.
    /// </exception>
    /// <exception cref="UnauthorizedAccessException">It may not be read, or is a folder.</exception>
    public static FileStream OpenRead(string path)
    {
        if (OperatingSystem.IsLinux() || OperatingSystem.IsMacOS())
        {
            // What cannot be opened so is left to the framework, whose errors say why.
            var descriptor = path.Contains('\0', StringComparison.Ordinal)
                ? -1
                : NativeMethods.OpenExisting(path, NativeMethods.OpenReadOnly | NativeMethods.OpenAtOnce);
            if (descriptor >= 0 && !IsSeekable(descriptor))
                throw new IOException($"'{path}' is not a regular file");
        }
        return new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete);
    }

    private static bool IsSeekable(int descriptor)
    {
        try
        {
            return NativeMethods.Seek(descriptor, 0, 0) >= 0;
        }
        finally
        {
            _ = NativeMethods.Close(descriptor);
        }
    }
}
