using Microsoft.Win32.SafeHandles;
using Pipeline.Storage;

namespace Pipeline.Documents;

/// <summary>
/// Two bytes in a file: whether a user's script is running, and how many processes in a row ended while it ran.
/// Nothing can catch a stack overflow or the operating system's memory limit; only the next start finds out.
/// Begin one run at a time. Any thread may call <see cref="Forgive"/> during a run.
/// </summary>
/// <remarks>
/// The bytes are not synced: they must survive the end of the process, not that of the machine. The code is blocked
/// after <see cref="MaxEnds"/> starts in a row whose process ended within one of its runs, with no
/// <see cref="Forgive"/> in between. A process that is killed now and then therefore blocks nothing. While
/// <see cref="Ends"/> is not zero, make the runs short: few other ends then fall into one.
/// </remarks>
public sealed class RunMarker : IDisposable
{
    /// <summary>Processes that may end within runs, in a row, before the code is blocked.</summary>
    public const int MaxEnds = 3;

    // Shared by all databases. Scripts that may have ended the last process run one at a time, so that only the marker
    // of the one at fault remains.
    private static readonly SemaphoreSlim Suspects = new(1, 1);

    private readonly string? _path;
    private readonly SafeFileHandle? _file;
    private readonly Lock _writing = new();
    private bool _running;
    private byte _ends;

    private RunMarker(string? path)
    {
        if (path is null)
            return;
        PrivateFile.CreateFolder(Path.GetDirectoryName(path)!);
        PrivateFile.Make(path);
        (_path, _file) = (
            path,
            File.OpenHandle(path, FileMode.OpenOrCreate, FileAccess.ReadWrite, FileShare.ReadWrite | FileShare.Delete)
        );
        Span<byte> found = stackalloc byte[2];
        if (RandomAccess.Read(_file, found, 0) == found.Length)
            _ends = found[0] == 0 ? found[1] : (byte)Math.Min(found[1] + 1, byte.MaxValue);
        // Now, so that the bytes have their place when the disk is full.
        Write(running: false);
    }

    /// <summary>Processes in a row that ended within a run.</summary>
    public int Ends => _ends;

    /// <summary>Whether the code must not run before a person has checked it (<see cref="Forgive"/>).</summary>
    public bool IsBlocked => _ends >= MaxEnds;

    /// <summary>Opens a marker.</summary>
    /// <param name="path">Its file; null for one that never blocks.</param>
    /// <param name="failed">Called if the file cannot be written; the marker then never blocks.</param>
    internal static RunMarker Open(string? path, Action<Exception> failed)
    {
        try
        {
            return new RunMarker(path);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            failed(e);
            return new RunMarker(null);
        }
    }

    /// <summary>
    /// Begins a run, which the returned value's disposal ends. If the last process ended within a run, this one waits
    /// until no other such script runs.
    /// </summary>
    /// <param name="ct">Ends the wait.</param>
    public async ValueTask<Run> EnterAsync(CancellationToken ct)
    {
        var alone = _ends > 0;
        if (alone)
            await Suspects.WaitAsync(ct).ConfigureAwait(false);
        Write(running: true);
        return new Run(this, alone);
    }

    /// <summary>
    /// Forgets the processes that ended. Call it where a person allows the code to be tried again, and where what the
    /// runs did is durable, so that no next start repeats it. Not before: the run after it may be the deadly one, each
    /// time.
    /// </summary>
    public void Forgive()
    {
        if (_ends > 0)
            Write(ends: 0);
    }

    /// <summary>Closes the file, and removes it if it records nothing.</summary>
    public void Dispose()
    {
        if (_file is null || _file.IsClosed)
            return;
        _file.Dispose();
        if (_ends == 0 && File.Exists(_path))
            File.Delete(_path!);
    }

    private void Write(bool? running = null, byte? ends = null)
    {
        if (_file is null)
            return;
        lock (_writing)
        {
            (_running, _ends) = (running ?? _running, ends ?? _ends);
            ReadOnlySpan<byte> bytes = [_running ? (byte)1 : (byte)0, _ends];
            RandomAccess.Write(_file, bytes, 0);
        }
    }

    /// <summary>
    /// A run that has begun; disposal ends it, whether it succeeded or failed and left the process alive.
    /// </summary>
    public readonly struct Run : IDisposable
    {
        private readonly RunMarker? _marker;
        private readonly bool _alone;

        internal Run(RunMarker marker, bool alone) => (_marker, _alone) = (marker, alone);

        /// <summary>Ends the run.</summary>
        public void Dispose()
        {
            _marker?.Write(running: false);
            if (_alone)
                Suspects.Release();
        }
    }
}
