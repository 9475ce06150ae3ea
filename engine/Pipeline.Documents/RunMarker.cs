using System.Buffers.Binary;
using Microsoft.Win32.SafeHandles;
using Pipeline.Storage;

namespace Pipeline.Documents;

/// <summary>
/// A few bytes in a file: whether a user's script is running, over which changes, and how many processes in a row ended
/// while it ran. Nothing can catch a stack overflow or the operating system's memory limit; only the next start finds
/// out. Begin one run at a time. Any thread may call <see cref="Pass"/> and <see cref="Forgive"/> during a run.
/// </summary>
/// <remarks>
/// <para>
/// The bytes are not synced: they must survive the end of the process, not that of the machine. The code is blocked
/// after <see cref="MaxEnds"/> starts in a row whose process ended within one of its runs, if none of the runs' results
/// became durable in between. A process that ends elsewhere, or gets further, begins the row anew. So a process that
/// is killed now and then blocks nothing.
/// </para>
/// <para>
/// The changes of a run that ended the process are the suspects. The next runs take <see cref="ChangesAfter"/> of them
/// at a time, until all are done. If one of these runs ends the process, its changes are the suspects. So a few starts
/// find the deadly change, wherever in a large run it is.
/// </para>
/// </remarks>
public sealed class RunMarker : IDisposable
{
    /// <summary>Processes that may end within runs, in a row, before the code is blocked.</summary>
    public const int MaxEnds = 3;

    // Shared by all databases. Scripts that may have ended the last process run one at a time, so that only the marker
    // of the one at fault remains.
    private static readonly SemaphoreSlim Suspects = new(1, 1);

    // Of the suspects, this part runs at a time.
    private const int Parts = 32;
    private const int FileBytes = 2 + sizeof(long);

    // As a position: something else than changes.
    private const long Other = -1;

    private readonly string? _path;
    private readonly SafeFileHandle? _file;
    private readonly Lock _writing = new();
    private bool _running;
    private long _runThrough;
    private byte _ends;

    // The last of the suspects; 0 if there are none.
    private long _through;

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
        Span<byte> found = stackalloc byte[FileBytes];
        if (RandomAccess.Read(_file, found, 0) >= 2)
        {
            _ends = found[0] != 0 ? (byte)Math.Min(found[1] + 1, byte.MaxValue) : found[1];
            if (found[0] == 0 && !IsBlocked)
                _ends = 0;
            _through = BinaryPrimitives.ReadInt64LittleEndian(found[2..]);
        }

        // Now, so that the bytes have their place when the disk is full.
        Write();
    }

    /// <summary>Processes in a row that ended within a run.</summary>
    public int Ends => _ends;

    /// <summary>Whether the code must not run before a person has checked it (<see cref="Forgive"/>).</summary>
    public bool IsBlocked => _ends >= MaxEnds;

    /// <summary>How many changes the next run may take.</summary>
    /// <param name="position">The position after which it begins.</param>
    public int ChangesAfter(long position)
    {
        lock (_writing)
        {
            return position >= _through
                ? int.MaxValue
                : (int)Math.Clamp((_through - position) / Parts, 1, int.MaxValue);
        }
    }

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
    /// until no other such script runs. Call <see cref="Mark"/> before the script.
    /// </summary>
    /// <param name="ct">Ends the wait.</param>
    public async ValueTask<Run> EnterAsync(CancellationToken ct)
    {
        var alone = Volatile.Read(ref _through) != 0;
        if (alone)
            await Suspects.WaitAsync(ct).ConfigureAwait(false);
        return new Run(this, alone);
    }

    /// <summary>
    /// Marks that the script runs from here on, within a run. Whatever precedes it in the run can take its time:
    /// a process that is killed meanwhile does not count.
    /// </summary>
    /// <param name="through">
    /// The position of the last change that it reaches; <see langword="null"/> if it runs over other things.
    /// </param>
    public void Mark(long? through)
    {
        lock (_writing)
        {
            (_running, _runThrough) = (true, through ?? Other);
            Write();
        }
    }

    /// <summary>
    /// Tells that what a run did is durable, so that no next start repeats it. The row of ends begins anew, and the
    /// suspects are forgotten once this passes the last of them. Not for a run that left the position where it was: the
    /// next start may repeat that one.
    /// </summary>
    /// <param name="through">
    /// The position up to which it is durable; <see langword="null"/> if the run was over other things.
    /// </param>
    public void Pass(long? through)
    {
        if (!IsKnown)
            return;
        lock (_writing)
        {
            // Progress elsewhere tells nothing about the suspects.
            if (through is null != _through is Other)
                return;
            _ends = 0;
            if ((through ?? Other) >= _through)
                _through = 0;
            Write();
        }
    }

    /// <summary>
    /// Forgets the processes that ended. Call it where a person allows the code to be tried again, and where it ran
    /// over everything that there is. Not before: the run after it may be the deadly one, each time.
    /// </summary>
    public void Forgive()
    {
        if (!IsKnown)
            return;
        lock (_writing)
        {
            (_ends, _through) = (0, 0);
            Write();
        }
    }

    /// <summary>Closes the file, and removes it if it records nothing.</summary>
    public void Dispose()
    {
        if (_file is null || _file.IsClosed)
            return;
        _file.Dispose();
        if (!IsKnown && File.Exists(_path))
            File.Delete(_path!);
    }

    /// <summary>Whether anything is known of processes before this one.</summary>
    private bool IsKnown => _ends != 0 || Volatile.Read(ref _through) != 0;

    private void EndRun()
    {
        lock (_writing)
        {
            if (!_running)
                return;
            _running = false;
            Write();
        }
    }

    private void Write()
    {
        if (_file is null)
            return;
        Span<byte> bytes = stackalloc byte[FileBytes];
        (bytes[0], bytes[1]) = (_running ? (byte)1 : (byte)0, _ends);
        BinaryPrimitives.WriteInt64LittleEndian(bytes[2..], _running ? _runThrough : _through);
        RandomAccess.Write(_file, bytes, 0);
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
            _marker?.EndRun();
            if (_alone)
                Suspects.Release();
        }
    }
}
