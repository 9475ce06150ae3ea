using Pipeline.Storage;
using Pipeline.TestKit.Storage;

namespace Pipeline.CrashTests.Storage;

/// <summary>A store that a crash or a clean shutdown left. Opens copies of it with one bit flipped.</summary>
internal sealed class FlippedStore : IDisposable
{
    private const string DataPath = CrashWorkload.Folder + "/pipeline.data";
    private readonly CrashReplay _replay;
    private readonly StoreModel _model;
    private readonly bool _encrypted;
    private readonly List<(string Path, long Length)> _files;
    private readonly List<JournalRange> _entries = [];
    private readonly byte[] _recovered;
    private readonly bool[] _used;

    private readonly record struct JournalRange(string Path, long Start, long End, long Padded);

    private FlippedStore(CrashReplay replay, CrashWorkload workload)
    {
        (_replay, _model, _encrypted) = (replay, workload.Model, workload.Encrypted);
        using var disk = Copy();
        _files = [.. disk.Paths.Select(path => (path, (long)disk.Get(path).Length)).Where(file => file.Item2 > 0)];
        ReadEntries(disk);
        using var environment = Open(disk);
        _used = UsedPages(environment);
        _recovered = disk.Get(DataPath);
    }

    /// <summary>
    /// Runs a seeded workload, up to its end or to a crash with its last operations in the journal alone.
    /// </summary>
    public static FlippedStore Make(int seed, bool closed, bool encrypted)
    {
        var workload = new CrashWorkload(seed, 60, encrypted: encrypted);
        workload.RunAsync().GetAwaiter().GetResult();
        var log = workload.Disk.Log;
        var replay = new CrashReplay();
        foreach (
            var happening in log.Take(
                closed ? log.Count : log.Select((e, i) => (e, i)).Last(e => e.e.Kind == DiskEventKind.Mark).i + 1
            )
        )
        {
            replay.Apply(happening);
        }

        return new FlippedStore(replay, workload);
    }

    /// <summary>
    /// A random bit: half of them in the data file, so that journal files, which are mostly empty, do not take most.
    /// </summary>
    public (string Path, long Bit) Draw(Random random)
    {
        var (path, length) =
            random.Next(2) == 0 ? _files.Find(f => f.Path == DataPath) : _files[random.Next(_files.Count)];
        // Half of those in journal files go where entries are.
        if (path != DataPath && _entries.Count > 0 && random.Next(2) == 0)
        {
            var entry = _entries[random.Next(_entries.Count)];
            return (entry.Path, random.NextInt64(entry.Start * 8, entry.Padded * 8));
        }
        return (path, random.NextInt64(length * 8));
    }

    /// <summary>
    /// Opens a copy with the bit flipped and returns the fault found, or null. Some copies are also checked offline
    /// first; both must agree.
    /// </summary>
    public string? Try(string path, long bit, FlipTally tally)
    {
        using var disk = Copy();
        disk.Flip(path, bit);
        (bool Sound, string? Fault)? offline = bit % (_encrypted ? 2 : 8) == 0 ? Look(disk) : null;
        var named = tally.Named;
        var fault = Open(disk, path, bit, tally);
        if (fault is not null || offline is not var (sound, wrong))
            return fault;
        tally.Looked++;
        // For an encrypted page, opening verifies the tag; the check also verifies the checksum.
        var isChecksum = _encrypted && path == DataPath && bit / 8 % PageLayout.PageSize < PageLayout.TypeOffset;
        return wrong
            ?? (
                sound == (named == tally.Named) || (isChecksum && !sound)
                    ? null
                    : $"the check finds {(sound ? "nothing" : "damage")}, the opening {(sound ? "damage" : "nothing")}"
            );
    }

    public void Dispose() => _replay.Dispose();

    private (bool Sound, string? Fault) Look(SimulatedDisk disk)
    {
        try
        {
            using var store = OfflineStore.Open(CrashWorkload.Options(disk, StorageFaults.None, _encrypted));
            if (!store.Check().IsSound)
                return (false, null);
            using var read = store.BeginRead();
            var found = StoreModel.OperationsIn(read);
            return (
                true,
                _model.Difference(read, found) is { } difference
                    ? $"offline: after {found} operations: {difference}"
                    : null
            );
        }
        catch (StorageException e)
        {
            return (false, e is CorruptPageException or JournalCorruptException ? null : e.ToString());
        }
    }

    private string? Open(SimulatedDisk disk, string path, long bit, FlipTally tally)
    {
        var at = bit / 8;
        try
        {
            using var environment = Open(disk);
            using var read = environment.BeginRead();
            var found = StoreModel.OperationsIn(read);
            if (_model.Difference(read, found) is { } difference)
                return $"after {found} operations: {difference}";
            if (found < _model.Count)
            {
                if (
                    _entries.Count == 0
                    || path != _entries[^1].Path
                    || at < _entries[^1].Start
                    || at >= _entries[^1].End
                )
                {
                    return $"{found} of {_model.Count} operations are there, though the flip is not in the journal's last entry";
                }

                if (found != _model.Count - 1)
                    return $"{found} of {_model.Count} operations are there: more than the last one is lost";
                tally.LastEntry++;
                return null;
            }
            if (StorageChecker.Check(environment) is { IsSound: false } report)
            {
                return path == DataPath && report.Problems.Any(p => Covers(p.Page, at / PageLayout.PageSize))
                    ? Named(tally)
                    : string.Join("; ", report.Problems);
            }

            tally.Harmless++;
            // An encrypted page's bytes differ each time it is written; its tag has proved it correct.
            return _encrypted ? null : Unproven(disk.Get(DataPath));
        }
        catch (CorruptPageException e)
        {
            tally.Pages++;
            return path == DataPath && Covers(e.Page, at / PageLayout.PageSize)
                ? null
                : $"page {e.Page} was named: {e.Message}";
        }
        catch (JournalCorruptException e)
        {
            tally.Entries++;
            var entry = _entries.Find(r => r.Path == path && at >= r.Start && at < r.End);
            var right = entry.Path is null ? e.Offset == 0 && at < 64 : e.Offset == entry.Start;
            return e.File == path && right ? null : $"{e.File} at {e.Offset} was named: {e.Message}";
        }
        catch (StorageException e)
        {
            return e.ToString();
        }
    }

    private static string? Named(FlipTally tally)
    {
        tally.Pages++;
        return null;
    }

    private StorageEnvironment Open(SimulatedDisk disk) =>
        StorageEnvironment.Open(CrashWorkload.Options(disk, StorageFaults.None, _encrypted) with { Threadless = true });

    private SimulatedDisk Copy() => _replay.Crash(new Random(0), CrashMode.KeepAll);

    /// <summary>The page that was named holds the flipped byte, itself or in the run that it begins.</summary>
    private bool Covers(long named, long flipped)
    {
        if (named == flipped)
            return true;
        if (named > flipped || named < 2)
            return false;
        var bytes = _recovered.AsSpan((int)(named * PageLayout.PageSize), PageLayout.PageSize);
        return bytes[4] == (byte)PageType.Overflow
            && flipped - named
                < (64L + BitConverter.ToInt32(bytes[52..]) + PageLayout.PageSize - 1) / PageLayout.PageSize;
    }

    /// <summary>
    /// Returns a fault if a page in use differs from its content without the flip. Skips the meta pages: the opening
    /// rewrote both.
    /// </summary>
    private string? Unproven(byte[] data)
    {
        for (var page = 2; page < _used.Length; page++)
        {
            var (at, length) = (page * PageLayout.PageSize, PageLayout.PageSize);
            if (_used[page] && !data.AsSpan(at, length).SequenceEqual(_recovered.AsSpan(at, length)))
                return $"page {page}, which is in use, has other bytes, and nothing noticed";
        }
        return null;
    }

    private static unsafe bool[] UsedPages(StorageEnvironment environment)
    {
        using var read = environment.BeginRead();
        var state = ((ReaderPages)read.Pages).State;
        var map = read.Pages.GetPage(PageLayout.AllocationPageInGroup);
        var used = new bool[state.PageCount];
        for (var page = 0; page < used.Length; page++)
            used[page] = Bitmap.IsUsed(map + PageLayout.HeaderSize, page);
        return used;
    }

    private unsafe void ReadEntries(SimulatedDisk disk)
    {
        var metas = disk.Get(DataPath);
        MetaPage? newest = null;
        fixed (byte* start = metas)
        {
            for (var slot = 0; slot < 2; slot++)
            {
                var meta = MetaPage.Decode(DataPath, start + (slot * PageLayout.PageSize), slot);
                newest = newest is null || meta?.Sequence > newest.Sequence ? meta : newest;
            }
        }
        var position = newest!.State.Journal;
        using var cipher = newest.Encryption is null
            ? null
            : new StoreCipher(
                newest.StoreId,
                [
                    .. newest.Encryption.Keys.Select(key =>
                        EncryptionState.Unwrap(key, CrashWorkload.Key.Key!.Value.Span, newest.StoreId)!
                    ),
                ]
            );
        using var reader = new JournalReader(disk, CrashWorkload.Folder + "/journal", newest.StoreId, true, cipher);
        reader.Replay(
            newest.State,
            (state, _, _, _) =>
            {
                var begins = state.Journal.File == position.File ? position.Offset : JournalLayout.Block;
                var path = JournalLayout.PathOf(CrashWorkload.Folder + "/journal", state.Journal.File);
                // As it lies there, perhaps compressed.
                var stored = BitConverter.ToInt64(disk.Get(path), (int)begins + 32);
                _entries.Add(
                    new JournalRange(path, begins, begins + JournalLayout.EntryHeader + stored, state.Journal.Offset)
                );
                position = state.Journal;
            }
        );
    }
}
