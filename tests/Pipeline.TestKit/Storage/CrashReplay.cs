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
/// Follows the log of a <see cref="SimulatedDisk"/> and makes the disk that a crash between two events leaves.
/// Contents are durable after a sync of their file; names after a sync of their folder; a folder's own name after a
/// sync of its parent. Changes of names keep their order within a folder and none across folders; unsynced contents
/// keep none. In a torn write, each sector of 512 bytes may be missing; in a torn hole, each block of 4,096 bytes has
/// its former bytes or zeros.
/// </summary>
public sealed class CrashReplay : IDisposable
{
    private const int Sector = 512;
    private const int Block = 4096;
    private readonly Dictionary<int, Inode> _files = [];
    private readonly List<DiskEvent> _pendingNames = [];
    private readonly Dictionary<string, int> _names = [];
    private readonly HashSet<string> _folders = [SimulatedDisk.Root];

    private sealed class Inode : IDisposable
    {
        public readonly DiskImage Durable = new();
        public readonly List<DiskEvent> Pending = [];

        public void Dispose() => Durable.Dispose();
    }

    /// <summary>Begins with an empty disk.</summary>
    public CrashReplay() { }

    /// <summary>Starts from the content of a disk whose log is still empty; all of it is durable.</summary>
    public CrashReplay(SimulatedDisk disk)
    {
        _folders.UnionWith(disk.Folders);
        foreach (var file in disk.Files)
        {
            _names[file.Path] = file.Id;
            _files[file.Id] = new Inode();
            _files[file.Id].Durable.Write(0, file.Image.Content);
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
            case DiskEventKind.Move or DiskEventKind.Delete or DiskEventKind.CreateDirectory:
                _pendingNames.Add(happening);
                break;
            case DiskEventKind.SyncDirectory:
                foreach (
                    var change in _pendingNames.Where(p => Path.GetDirectoryName(p.Path) == happening.Path).ToList()
                )
                {
                    Rename(_names, _folders, change);
                    _pendingNames.Remove(change);
                }
                break;
            case DiskEventKind.Sync:
                var file = _files[happening.File];
                foreach (var pending in file.Pending)
                    Change(file.Durable, pending, pending.Offset, null);
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
        var folders = new HashSet<string>(_folders);
        foreach (var changes in _pendingNames.GroupBy(p => Path.GetDirectoryName(p.Path)))
        {
            var kept = mode switch
            {
                CrashMode.LoseAll => 0,
                CrashMode.KeepAll => int.MaxValue,
                _ => random.Next(changes.Count() + 1),
            };
            foreach (var change in changes.Take(kept))
                Rename(names, folders, change);
        }
        var disk = new SimulatedDisk(record);
        foreach (var folder in folders.Where(f => IsReached(folders, f)))
            disk.AddFolder(folder);
        foreach (var (path, id) in names)
        {
            if (!IsReached(folders, Path.GetDirectoryName(path)!))
                continue;
            var made = disk.Add(path);
            Fill(made.Image, _files[id], random, mode);
            made.Refresh();
        }
        return disk;
    }

    /// <summary>Gives the memory of its files back.</summary>
    public void Dispose()
    {
        foreach (var file in _files.Values)
            file.Dispose();
        _files.Clear();
    }

    private static void Fill(DiskImage image, Inode file, Random random, CrashMode mode)
    {
        image.Write(0, file.Durable.Content);
        if (mode == CrashMode.LoseAll)
            return;
        foreach (var pending in file.Pending)
        {
            var fate = mode == CrashMode.KeepAll ? 0 : random.Next(3);
            if (fate == 2)
                continue;
            var offset = pending.Offset;
            if (mode == CrashMode.Misdirect && pending.Kind == DiskEventKind.Write && random.Next(4) == 0)
                offset = random.Next((int)(image.Length / Sector) + 1) * (long)Sector;
            Change(image, pending, offset, fate == 1 ? random : null);
        }
    }

    private static void Change(DiskImage image, DiskEvent change, long offset, Random? torn)
    {
        if (change.Kind == DiskEventKind.PunchHole)
        {
            for (var at = change.Offset; at < Math.Min(change.Offset + change.Length, image.Length); at += Block)
            {
                if (torn is null || torn.Next(2) == 0)
                    image.Content.Slice((int)at, (int)Math.Min(Block, image.Length - at)).Clear();
            }
            return;
        }
        if (change.Kind != DiskEventKind.Write)
        {
            if (change.Kind == DiskEventKind.Truncate || change.Offset > image.Length)
                image.SetLength(change.Offset);
            return;
        }
        var data = change.Bytes.AsSpan();
        if (torn is null)
        {
            image.Write(offset, data);
            return;
        }
        if (offset + data.Length > image.Length)
            image.SetLength(offset + data.Length);
        for (var at = 0; at < data.Length; at += Sector)
        {
            if (torn.Next(2) == 0)
                image.Write(offset + at, data.Slice(at, Math.Min(Sector, data.Length - at)));
        }
    }

    /// <summary>Whether a folder and all above it are there.</summary>
    private static bool IsReached(HashSet<string> folders, string folder)
    {
        for (var at = folder; Path.GetDirectoryName(at) is { } above; at = above)
        {
            if (!folders.Contains(at))
                return false;
        }
        return true;
    }

    private static void Rename(Dictionary<string, int> names, HashSet<string> folders, DiskEvent change)
    {
        if (change.Kind == DiskEventKind.CreateDirectory)
        {
            folders.Add(change.Path!);
            return;
        }
        if (change.Kind != DiskEventKind.Create)
            names.Remove(change.Path!);
        if (change.Kind == DiskEventKind.Create)
            names[change.Path!] = change.File;
        else if (change.Kind == DiskEventKind.Move)
            names[change.Target!] = change.File;
    }
}
