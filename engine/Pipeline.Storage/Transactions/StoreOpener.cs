using System.Globalization;
using System.Security.Cryptography;

namespace Pipeline.Storage;

/// <summary>
/// Opens a store: takes its lock, creates a new one, brings the data file up to the journal's end, begins a new journal
/// file.
/// </summary>
internal sealed unsafe partial class StoreOpener(StorageOptions options)
{
    /// <summary>What follows the data file's name while a restore writes it.</summary>
    public const string UnfinishedSuffix = ".restoring";

    /// <summary>What timers can wait for.</summary>
    private static readonly TimeSpan MaxScrubInterval = TimeSpan.FromDays(49);
    private readonly IoRecorder _io = new(options.TimeProvider, options.Path ?? "(memory)");
    private IStorageFiles? _measured;
    private readonly string _path = options.Path ?? "(memory)";
    private readonly bool _journaled = options.Path is not null || options.Files is not null;

    private IStorageFiles Files =>
        _measured ??= new MeasuredFiles(
            options.Files ?? (options.Path is null ? new MemoryStorageFiles() : NativeStorageFiles.Instance),
            _io
        );

    private string DataPath => Path.Combine(_path, "pipeline.data");

    private string JournalPath => options.JournalPath ?? Path.Combine(_path, "journal");

    private bool TakesForeign => (options.Faults & StorageFaults.TakeForeignJournal) != 0;

    private bool Verify => (options.Faults & StorageFaults.IgnoreChecksums) == 0;

    /// <summary>Opens it; releases everything it took if that fails.</summary>
    public StoreContext Open()
    {
        var started = options.TimeProvider.GetTimestamp();
        CheckEncryptionLimits();
        if (
            options.ScrubInterval is { } interval
            && (interval <= TimeSpan.Zero || interval > MaxScrubInterval || options.ScrubBytesPerSecond < 1)
        )
        {
            throw new ArgumentException(
                $"StorageOptions.ScrubInterval is {interval} and ScrubBytesPerSecond {options.ScrubBytesPerSecond:N0}; the interval must be positive and at most {MaxScrubInterval.Days} days, the rate at least 1."
            );
        }

        var userKey = options.Encryption is null ? null : UserKey.Read(options.Encryption);
        var taken = new Stack<IDisposable>();
        var locks = new List<IDisposable>();
        try
        {
            CreateFolder(_path);
            Take(Files.Lock(Path.Combine(_path, "pipeline.lock"), Holder()));
            if (_journaled)
            {
                CreateFolder(JournalPath);
                if (!TakesForeign)
                    Take(JournalOwnership.Lock(Files, JournalPath, _path, Holder()));
            }
            StepHook.At(StorageStep.OpenLocked);
            if (
                !(options.IsReplica || options.OpensReplicaAlone)
                && Files.Exists(Path.Combine(_path, ReplicaFolder.PositionName))
            )
            {
                throw new ReplicaFolderException(_path);
            }
            if (!Files.Exists(DataPath))
            {
                // Else half a restore would become an empty store, and look as if all was lost.
                if (Files.Exists(DataPath + UnfinishedSuffix))
                    throw new UnfinishedRestoreException(_path, DataPath + UnfinishedSuffix);
                Create(userKey);
            }
            else if (_journaled)
            {
                Files.SyncDirectory(_path); // A process may have been killed after it gave the data file its name.
            }
            var file = Files.Open(DataPath, create: false);
            taken.Push(file);
            if (!file.TryLock())
                throw new StoreInUseException(DataPath, StoreInUseException.Unnamed);
            var meta = ReadMeta(file, out var invalidSlot);
            if (file.Length < meta.State.PageCount << PageLayout.PageShift)
            {
                throw new CorruptPageException(
                    DataPath,
                    file.Length >> PageLayout.PageShift,
                    null,
                    $"the file ends before it; {meta.State.PageCount} pages are expected"
                );
            }

            StepHook.At(StorageStep.OpenMeta);
            var cipher = OpenCipher(DataPath, meta, options.Encryption, userKey);
            if (cipher is not null)
                taken.Push(cipher);
            var flushFile = cipher is not null && _journaled ? FlushFile.Open(Files, _path, meta.StoreId) : null;
            if (flushFile is not null)
                taken.Push(flushFile);
            var data = new DataFile(file, options, Verify, cipher, flushFile);
            taken.Push(data);
            var table = new PageTable(data.MaxPages);
            taken.Push(table);
            data.Serve(table);
            var scratch = new ScratchPool(options.FlushScratchBytes, wipe: cipher is not null || options.WipeVersions);
            taken.Push(scratch);
            JournalFiles? journal = null;
            var (replayed, written) = (0L, 0L);
            if (_journaled)
            {
                try
                {
                    (meta, journal, replayed, written) = Recover(meta, data, scratch, cipher);
                }
                catch (JournalCorruptException e) when (invalidSlot >= 0)
                {
                    // The older checkpoint's journal may have been recycled legitimately; then it is the meta page that
                    // is damaged.
                    throw new CorruptPageException(
                        DataPath,
                        invalidSlot,
                        null,
                        $"the meta page there is not valid, and the journal does not reach back to the checkpoint of the other one ({e.Message})"
                    );
                }
                taken.Push(journal);
            }
            var store = new StoreContext(options, _path, locks, data, table, scratch, journal, meta, cipher)
            {
                Io = _io,
                Files = Files,
            };
            StorageLog.Opened(
                store.Logger,
                _path,
                meta.State.TransactionId,
                replayed,
                (long)options.TimeProvider.GetElapsedTime(started).TotalMilliseconds,
                written
            );
            return store;
        }
        catch
        {
            while (taken.TryPop(out var resource))
                resource.Dispose();
            throw;
        }
        finally
        {
            CryptographicOperations.ZeroMemory(userKey);
        }

        void Take(IDisposable @lock)
        {
            taken.Push(@lock);
            locks.Add(@lock);
        }
    }

    /// <summary>
    /// Replays, writes and syncs; begins a new journal file; writes and syncs a meta page that continues the journal
    /// there. Only then are the old files spare.
    /// </summary>
    private (MetaPage Meta, JournalFiles Journal, long Replayed, long Written) Recover(
        MetaPage meta,
        DataFile data,
        ScratchPool scratch,
        StoreCipher? cipher
    )
    {
        using var reader = new JournalReader(Files, JournalPath, meta.StoreId, Verify, cipher)
        {
            WithoutZstd = options.WithoutZstd,
            TakesForeign = TakesForeign,
        };
        if (reader.Foreign is [var foreign, ..])
            throw new ForeignJournalException(foreign.Path, foreign.Owner);
        data.Restore(meta.Sequence);
        StepHook.At(StorageStep.OpenReplay);
        using var recovery = new Recovery(data, scratch, options.FlushScratchBytes, Verify, meta);
        var state = reader.Replay(meta.State, recovery.Apply);
        StepHook.At(StorageStep.OpenReplayed);
        recovery.Finish(state);
        if ((options.Faults & StorageFaults.RecoverWithoutSync) == 0)
            data.Sync();
        StepHook.At(StorageStep.OpenRecovered);
        var number = Math.Max(reader.HighestNumber, state.Journal.File) + 1;
        var journal = new JournalFiles(
            Files,
            JournalPath,
            meta.StoreId,
            options,
            e => StorageLog.PrepareFailed(StorageLog.Of(options), JournalPath, e)
        );
        try
        {
            state = state with { Journal = journal.Start(number, state.Journal.Chain) };
            StepHook.At(StorageStep.OpenJournal);
            var encryption = meta.Encryption is { } keys ? keys with { Openings = keys.Openings + 1 } : null;
            meta = meta with
            {
                Sequence = meta.Sequence + 1,
                State = state,
                Encryption = encryption,
                Life = OpenLife(meta.Life),
            };
            data.WriteMeta(meta);
            data.Sync();
            LeaveWitness(meta.Life);
            journal.SyncedThrough = state.TransactionId;
            StepHook.At(StorageStep.OpenCheckpoint);
            journal.AddSpares(reader.Files);
            return (meta, journal, reader.BytesRead, recovery.PagesWritten);
        }
        catch
        {
            journal.Dispose();
            throw;
        }
    }

    private void CreateFolder(string path)
    {
        if (!_journaled || (options.Faults & StorageFaults.ParentsUnsynced) != 0)
            Files.CreateDirectory(path);
        else
            DurableFolder.Create(Files, path);
    }

    private MetaPage ReadMeta(IStorageFile file, out int invalidSlot)
    {
        invalidSlot = -1;
        var bytes = new byte[2 * PageLayout.PageSize];
        file.Read(0, bytes);
        MetaPage? best = null;
        fixed (byte* start = bytes)
        {
            for (var slot = 0; slot < 2; slot++)
            {
                var meta = MetaPage.Decode(DataPath, start + (slot * PageLayout.PageSize), slot);
                if (meta is null)
                    invalidSlot = slot;
                else if (best is null || meta.Sequence > best.Sequence)
                    best = meta;
            }
        }
        return best ?? throw new CorruptPageException(DataPath, 0, null, "neither of the meta pages 0 and 1 is valid");
    }

    /// <summary>
    /// Makes a new store. Its data file appears under its name only when it is complete, and after the journal file
    /// that its meta page names.
    /// </summary>
    private void Create(byte[]? userKey)
    {
        var storeId = Guid.NewGuid();
        using var key = userKey is null ? null : DataKey.New(1);
        var ticks = options.TimeProvider.GetUtcNow().UtcTicks;
        var meta = new MetaPage
        {
            Sequence = 2,
            StoreId = storeId,
            Life = StoreLife.Begin(StoreOrigin.Created),
            Encryption = key is null
                ? null
                : new EncryptionState([EncryptionState.Wrap(key, userKey, storeId, ticks)], 1),
            State = new StoreState
            {
                TransactionId = 0,
                PageCount = PageLayout.AllocationPageInGroup + 1,
                FreePages = 0,
                CatalogRoot = 0,
                Ticks = ticks,
                Journal = new JournalPosition(1, JournalLayout.Block, 0),
            },
        };
        if (_journaled)
            CreateFirstJournalFile(meta.StoreId);
        var temporary = DataPath + ".new";
        Files.Delete(temporary);
        using (var file = Files.Open(temporary, create: true))
        {
            file.Allocate(Math.Max(options.InitialDataFileBytes, 4L * PageLayout.PageSize));
            var bytes = new byte[3 * PageLayout.PageSize];
            fixed (byte* pages = bytes)
            {
                meta.Encode(pages, out _);
                var map = pages + (PageLayout.AllocationPageInGroup * PageLayout.PageSize);
                PageLayout.Type(map) = PageType.Allocation;
                PageLayout.Number(map) = PageLayout.AllocationPageInGroup;
                map[PageLayout.HeaderSize] = 0b111;
                PageLayout.Checksum(map) = PageChecksum.Compute(map, PageLayout.AllocationPageInGroup, 1);
                if (key is not null)
                    EncryptInPlace(map, storeId, key);
            }
            file.Write(0, bytes);
            file.Sync();
        }
        Files.Move(temporary, DataPath);
        Files.SyncDirectory(_path);
        StorageLog.Created(StorageLog.Of(options), _path);
    }

    private void CreateFirstJournalFile(Guid storeId)
    {
        foreach (var path in Files.List(JournalPath, JournalLayout.Suffix))
        {
            // A creation that was cut short leaves a file without entries; a file with entries belongs to a data file
            // that is gone.
            var block = new byte[4];
            using (var file = Files.Open(path, create: false))
            {
                if (!TakesForeign)
                    JournalOwnership.CheckLeftover(file, _path, JournalPath);
                if (
                    file.Read(JournalLayout.Block, block) == 4
                    && BitConverter.ToUInt32(block) == JournalLayout.EntryMagic
                )
                {
                    throw new JournalCorruptException(
                        path,
                        JournalLayout.Block,
                        1,
                        $"the journal holds transactions, but there is no data file {DataPath}"
                    );
                }
            }
            Files.Delete(path);
        }
        using var journal = new JournalFiles(Files, JournalPath, storeId, options, static _ => { });
        journal.Start(1, 0);
    }

    private string Holder() =>
        string.Create(
            CultureInfo.InvariantCulture,
            $"process {Environment.ProcessId} ({Path.GetFileName(Environment.ProcessPath)}) on {Environment.MachineName} since {options.TimeProvider.GetUtcNow():u}"
        );
}
