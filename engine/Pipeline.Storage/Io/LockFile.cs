using System.Text;
using Microsoft.Win32.SafeHandles;

namespace Pipeline.Storage;

/// <summary>
/// A locked file. A removed lock file excludes no other process, so its text has the holder's name and a random token.
/// By the token the holder can see whether the file at the path is still its own. Used by one thread at a time.
/// </summary>
internal sealed class LockFile : IDisposable
{
    private readonly string _path;
    private readonly string _holder;
    private readonly string _text;
    private readonly bool _watched;
    private readonly SafeFileHandle _handle;

    /// <summary>The file that was put in the place of a removed one.</summary>
    private LockFile? _successor;

    /// <summary>Takes the lock.</summary>
    /// <param name="path">The file.</param>
    /// <param name="holder">Who takes it: one line.</param>
    /// <param name="watched">Whether <see cref="Check"/> reads the file. That is not needed if the data file is locked
    /// too: a process that has only the lock file cannot open the store.</param>
    /// <exception cref="StoreInUseException">Somebody has it.</exception>
    public LockFile(string path, string holder, bool watched)
    {
        (_path, _holder, _watched) = (path, holder, watched);
        _text = $"{holder}\n{Guid.NewGuid():n}\n";
        try
        {
            PrivateFile.Make(path);
            _handle = File.OpenHandle(path, FileMode.OpenOrCreate, FileAccess.ReadWrite, FileShare.ReadWrite);
        }
        catch (IOException) when (File.Exists(path) && !Directory.Exists(path))
        {
            // The framework itself asks for a shared lock on opening, which the holder's exclusive one denies.
            throw new StoreInUseException(path, ReadHolder(path));
        }
        try
        {
            if (!TryLock())
                throw new StoreInUseException(path, ReadHolder(path));

            RandomAccess.SetLength(_handle, 0);
            RandomAccess.Write(_handle, Encoding.UTF8.GetBytes(_text), 0);
        }
        catch
        {
            _handle.Dispose();
            throw;
        }
    }

    /// <summary>
    /// Makes sure that the file at the path is still the one that is locked. If it was removed or written over, the
    /// lock is taken again there.
    /// </summary>
    /// <exception cref="StoreInUseException">Another process has taken it in the meantime.</exception>
    /// <exception cref="IOException">The file cannot be made again.</exception>
    public void Check()
    {
        if (_successor is not null)
            _successor.Check();
        else if (_watched && Read(_path) != _text)
            _successor = new LockFile(_path, _holder, watched: true);
    }

    public void Dispose()
    {
        _successor?.Dispose();
        if (!_handle.IsClosed)
            Unlock();
        _handle.Dispose();
    }

    private bool TryLock() =>
        OperatingSystem.IsWindows()
            ? WindowsMethods.TryLockForever(_handle)
            : NativeMethods.Lock(
                (int)_handle.DangerousGetHandle(),
                NativeMethods.LockExclusive | NativeMethods.LockNonBlocking
            ) == 0;

    private void Unlock()
    {
        if (OperatingSystem.IsWindows())
            WindowsMethods.Unlock(_handle);
        else
            _ = NativeMethods.Lock((int)_handle.DangerousGetHandle(), NativeMethods.LockRelease);
    }

    private static string ReadHolder(string path) =>
        Read(path).Split('\n')[0].Trim() is { Length: > 0 } holder ? holder : "an unnamed process";

    /// <summary>The text of a lock file, read in spite of its lock. Empty if the file is missing.</summary>
    private static unsafe string Read(string path)
    {
        const int Most = 1024;
        if (OperatingSystem.IsWindows())
            return WindowsFiles.ReadText(path, Most);
        var descriptor = NativeMethods.OpenExisting(path, 0);
        if (descriptor < 0)
            return "";
        // The buffer is on this stack and has the length given to the call.
        var text = stackalloc byte[Most];
        var n = NativeMethods.Read(descriptor, text, Most, 0);
        _ = NativeMethods.Close(descriptor);
        return n <= 0 ? "" : Encoding.UTF8.GetString(text, (int)n);
    }
}
