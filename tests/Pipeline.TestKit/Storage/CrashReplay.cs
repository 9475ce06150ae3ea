namespace Pipeline.TestKit.Storage;

/// <summary>What a crash does to writes that were not yet synced.</summary>
public enum CrashMode
{
    /// <summary>All of them are lost.</summary>
    LoseAll,

    /// <summary>All of them are there.</summary>
    KeepAll,

    /// <summary>Each is lost, whole or torn, whatever came before or after it.</summary>
    Mix,

    /// <summary>As <see cref="Mix"/>, and some land at a wrong place of their file.</summary>
    Misdirect,
}

/// <summary>
/// Follows the log of a <see cref="SimulatedDisk"/> and makes the disk that a crash between two events leaves. Contents are durable from
/// their file's sync on, names from their folder's; changes of names keep their order, unsynced contents keep none. A torn write is one of
/// which each sector of 512 bytes is there or not.
/// </summary>
public sealed class CrashReplay
{
    private const int Sector = 512;
    private readonly Dictionary<int, Inode> _files = [];
    private readonly List<DiskEvent> _pendingNames = [];
    private readonly Dictionary<string, int> _names = [];

    private sealed class Inode
    {
        public byte[] Durable = [];
        public readonly List<DiskEvent> Pending = [];
    }

    /// <summary>Begins with an empty disk.</summary>
    public CrashReplay()
    {
    }

    /// <summary>Begins with what a disk, whose log is still empty, has; all of that is durable.</summary>
    public CrashReplay(SimulatedDisk disk)
    {
        foreach (var (path, id) in disk.Files)
        {
            _names[path] = id;
            _files[id] = new Inode { Durable = disk.Get(path) };
        }
    }

    /// <summary>The last mark passed, or -1.</summary>
    public long LastMark { get; private set; } = -1;

    /// <summary>Whether anything waits for a sync, so that modes differ.</summary>
    public bool HasPending => _pendingNames.Count > 0 || _files.Values.Any(f => f.Pending.Count > 0);

    /// <summary>Takes the next event of the log.</summary>
    public void Apply(DiskEvent happening)
    {
        switch (happening.Kind)
        {
            case DiskEventKind.Mark:
                LastMark = happening.Offset;
                break;
            case DiskEventKind.Create:
                _files[happening.File] = new Inode();
                _pendingNames.Add(happening);
                break;
            case DiskEventKind.Move or DiskEventKind.Delete:
                _pendingNames.Add(happening);
                break;
            case DiskEventKind.SyncDirectory:
                foreach (var change in _pendingNames.Where(p => Path.GetDirectoryName(p.Path) == happening.Path).ToList())
                {
                    Rename(_names, change);
                    _pendingNames.Remove(change);
                }
                break;
            case DiskEventKind.Sync:
                var file = _files[happening.File];
                foreach (var pending in file.Pending)
                    file.Durable = Change(file.Durable, pending, pending.Offset, null);
                file.Pending.Clear();
                break;
            default:
                _files[happening.File].Pending.Add(happening);
                break;
        }
    }

    /// <summary>The disk after a crash now.</summary>
    public SimulatedDisk Crash(Random random, CrashMode mode, bool record = false)
    {
        var names = new Dictionary<string, int>(_names);
        var kept = mode switch { CrashMode.LoseAll => 0, CrashMode.KeepAll => _pendingNames.Count, _ => random.Next(_pendingNames.Count + 1) };
        foreach (var change in _pendingNames.Take(kept))
            Rename(names, change);
        var disk = new SimulatedDisk(record);
        foreach (var (path, id) in names)
            disk.Put(path, Contents(_files[id], random, mode));
        return disk;
    }

    private static byte[] Contents(Inode file, Random random, CrashMode mode)
    {
        var bytes = (byte[])file.Durable.Clone();
        if (mode == CrashMode.LoseAll)
            return bytes;
        foreach (var pending in file.Pending)
        {
            var fate = mode == CrashMode.KeepAll ? 0 : random.Next(3);
            if (fate == 2)
                continue;
            var offset = pending.Offset;
            if (mode == CrashMode.Misdirect && pending.Kind == DiskEventKind.Write && random.Next(4) == 0)
                offset = random.Next((bytes.Length / Sector) + 1) * (long)Sector;
            bytes = Change(bytes, pending, offset, fate == 1 ? random : null);
        }
        return bytes;
    }

    private static byte[] Change(byte[] bytes, DiskEvent change, long offset, Random? torn)
    {
        if (change.Kind != DiskEventKind.Write)
        {
            if (change.Kind == DiskEventKind.Truncate || change.Offset > bytes.Length)
                Array.Resize(ref bytes, (int)change.Offset);
            return bytes;
        }
        var data = change.Bytes!;
        if (offset + data.Length > bytes.Length)
            Array.Resize(ref bytes, (int)(offset + data.Length));
        for (var at = 0; at < data.Length; at += Sector)
        {
            if (torn is null || torn.Next(2) == 0)
                data.AsSpan(at, Math.Min(Sector, data.Length - at)).CopyTo(bytes.AsSpan((int)offset + at));
        }
        return bytes;
    }

    private static void Rename(Dictionary<string, int> names, DiskEvent change)
    {
        if (change.Kind != DiskEventKind.Create)
            names.Remove(change.Path!);
        if (change.Kind == DiskEventKind.Create)
            names[change.Path!] = change.File;
        else if (change.Kind == DiskEventKind.Move)
            names[change.Target!] = change.File;
    }
}
