using System.Collections.Concurrent;
using Pipeline.Storage;

namespace Pipeline.TestKit.Storage;

/// <summary>
/// A disk in memory with a log of all its events, from which <see cref="CrashReplay"/> makes the disks that a crash at
/// any moment could leave. Tests can plant faults: an operation that fails, or a limit of space. Disposing frees its
/// memory for other disks.
/// </summary>
public sealed class SimulatedDisk : IStorageFiles, IDisposable
{
    private readonly Lock _gate = new();
    private static readonly ConcurrentDictionary<int, byte[]> Zeros = [];
    private readonly Dictionary<string, SimulatedFile> _names = [];

    /// <summary>All files, those that were deleted, too: they may be mapped still.</summary>
    private readonly List<SimulatedFile> _made = [];
    private readonly HashSet<string> _folders = [Root];
    private readonly Dictionary<string, string> _locks = [];
    private readonly List<DiskEvent> _log = [];
    private readonly bool _record;
    private int _nextFile = 1;

    public SimulatedDisk(bool record = true) => _record = record;

    /// <summary>The folder that is always there, as the system writes it.</summary>
    internal static string Root { get; } = Path.GetPathRoot(Path.GetFullPath("/"))!;

    /// <summary>
    /// Called before each change; if it returns an exception, that is thrown and the change is not made.
    /// </summary>
    public Func<DiskEvent, Exception?>? Fault { get; set; }

    /// <summary>Whether files can release space in their middle.</summary>
    public bool CanPunchHoles { get; set; } = true;

    /// <summary>Whether mappings can keep their content while the file is written.</summary>
    public bool CanFreeze { get; set; } = true;

    /// <summary>
    /// The size of the system's memory pages, in bytes. As on Linux, frozen ranges start at multiples of it and their
    /// ends are rounded up.
    /// </summary>
    public int SystemPageBytes { get; set; } = 4096;

    /// <summary>Bytes that files may still grow by.</summary>
    public long FreeBytes { get; set; } = long.MaxValue;

    /// <summary>All events up to now.</summary>
    public IReadOnlyList<DiskEvent> Log
    {
        get
        {
            lock (_gate)
                return [.. _log];
        }
    }

    /// <summary>Notes in the log that something was acknowledged.</summary>
    public void Mark(long value) => Do(new DiskEvent(DiskEventKind.Mark, 0, value), static () => { });

    /// <summary>Puts a file with its bytes on the disk, without an event.</summary>
    public void Put(string path, ReadOnlySpan<byte> bytes)
    {
        lock (_gate)
        {
            var file = Add(path);
            file.Image.Write(0, bytes);
            file.Refresh();
        }
    }

    /// <summary>Turns one bit of a file over, without an event.</summary>
    public void Flip(string path, long bit)
    {
        lock (_gate)
            _names[Full(path)].Image.Content[(int)(bit / 8)] ^= (byte)(1 << (int)(bit % 8));
    }

    /// <summary>The bytes of a file now.</summary>
    public byte[] Get(string path)
    {
        lock (_gate)
            return _names[Full(path)].ToArray();
    }

    /// <summary>The paths of all files.</summary>
    public IReadOnlyList<string> Paths
    {
        get
        {
            lock (_gate)
                return [.. _names.Keys.Order(StringComparer.Ordinal)];
        }
    }

    /// <summary>All files.</summary>
    internal IReadOnlyList<SimulatedFile> Files
    {
        get
        {
            lock (_gate)
                return [.. _names.Values];
        }
    }

    internal Lock Gate => _gate;

    public void CreateDirectory(string path)
    {
        path = Full(path);
        lock (_gate)
        {
            if (IsThere(path))
                return;
            CreateDirectory(Path.GetDirectoryName(path)!);
            Do(new DiskEvent(DiskEventKind.CreateDirectory, 0, 0, null, path), () => _folders.Add(path));
        }
    }

    public bool DirectoryExists(string path)
    {
        lock (_gate)
            return IsThere(Full(path));
    }

    public bool Exists(string path)
    {
        lock (_gate)
            return _names.ContainsKey(Full(path));
    }

    public IReadOnlyList<string> List(string directory, string suffix)
    {
        directory = Full(directory);
        lock (_gate)
        {
            return
            [
                .. _names
                    .Keys.Where(p =>
                        Path.GetDirectoryName(p) == directory && p.EndsWith(suffix, StringComparison.Ordinal)
                    )
                    .Order(StringComparer.Ordinal),
            ];
        }
    }

    public IStorageFile Open(string path, bool create)
    {
        path = Full(path);
        lock (_gate)
        {
            if (_names.TryGetValue(path, out var file))
                return file;
            if (!create)
                throw new FileNotFoundException($"{path}: no such file.", path);
            if (!_folders.Contains(Path.GetDirectoryName(path)!))
                throw new DirectoryNotFoundException($"{path}: no such folder.");
            var made = Make(path);
            Do(new DiskEvent(DiskEventKind.Create, made.Id, 0, null, path), () => _names[path] = made);
            return made;
        }
    }

    public void Move(string source, string target)
    {
        (source, target) = (Full(source), Full(target));
        lock (_gate)
        {
            var file = _names[source];
            Do(
                new DiskEvent(DiskEventKind.Move, file.Id, 0, null, source, target),
                () =>
                {
                    _names.Remove(source);
                    _names[target] = file;
                    file.Path = target;
                }
            );
        }
    }

    public void Delete(string path)
    {
        path = Full(path);
        lock (_gate)
        {
            if (_names.TryGetValue(path, out var file))
                Do(new DiskEvent(DiskEventKind.Delete, file.Id, 0, null, path), () => _names.Remove(path));
        }
    }

    public void SyncDirectory(string path) =>
        Do(new DiskEvent(DiskEventKind.SyncDirectory, 0, 0, null, Full(path)), static () => { });

    public long? FindFreeBytes(string directory) => FreeBytes;

    public IDisposable Lock(string path, string holder)
    {
        path = Full(path);
        lock (_gate)
        {
            if (_locks.TryGetValue(path, out var other))
                throw new StoreInUseException(path, other);
            _locks[path] = holder;
        }
        return new Released(() =>
        {
            lock (_gate)
                _locks.Remove(path);
        });
    }

    public void Dispose()
    {
        lock (_gate)
        {
            foreach (var file in _made)
                file.Image.Dispose();
            _made.Clear();
            _names.Clear();
        }
    }

    /// <summary>An empty file under the name, without an event.</summary>
    internal SimulatedFile Add(string path)
    {
        path = Full(path);
        lock (_gate)
        {
            AddFolder(Path.GetDirectoryName(path)!);
            return _names[path] = Make(path);
        }
    }

    private SimulatedFile Make(string path)
    {
        var file = new SimulatedFile(this, _nextFile++, path);
        _made.Add(file);
        return file;
    }

    /// <summary>A root always is; Windows has one for each drive.</summary>
    private bool IsThere(string folder) => _folders.Contains(folder) || Path.GetDirectoryName(folder) is null;

    /// <summary>Windows writes one path in several ways.</summary>
    private static string Full(string path) => OperatingSystem.IsWindows() ? Path.GetFullPath(path) : path;

    /// <summary>A folder, and those above it, without an event.</summary>
    internal void AddFolder(string path)
    {
        for (var folder = Full(path); folder is not null && _folders.Add(folder); )
            folder = Path.GetDirectoryName(folder);
    }

    /// <summary>All folders.</summary>
    internal IReadOnlyList<string> Folders
    {
        get
        {
            lock (_gate)
                return [.. _folders];
        }
    }

    /// <summary>Notes a write that is about to be done, or refuses it. The caller has the gate.</summary>
    internal void Begin(DiskEventKind kind, int file, long offset, ReadOnlySpan<byte> bytes, string path)
    {
        if (!_record && Fault is null)
            return;
        // Most bytes of a journal are the zeros that it is made of.
        var written = bytes.ContainsAnyExcept((byte)0)
            ? bytes.ToArray()
            : Zeros.GetOrAdd(bytes.Length, static length => new byte[length]);
        var happening = new DiskEvent(kind, file, offset, written, path);
        if (Fault?.Invoke(happening) is { } fault)
            throw fault;
        if (_record)
            _log.Add(happening);
    }

    internal void Do(DiskEvent happening, Action change)
    {
        lock (_gate)
        {
            if (Fault?.Invoke(happening) is { } fault)
                throw fault;
            change();
            if (_record)
                _log.Add(happening.Kind == DiskEventKind.Sync ? happening with { Offset = _log.Count } : happening);
        }
    }

    internal void TakeSpace(string path, long bytes)
    {
        lock (_gate)
        {
            if (bytes > FreeBytes)
                throw new DiskFullException(path, bytes);
            if (FreeBytes != long.MaxValue)
                FreeBytes -= bytes;
        }
    }

    private sealed class Released(Action release) : IDisposable
    {
        public void Dispose() => release();
    }
}
