using System.Globalization;
using System.Security.Cryptography;

namespace Pipeline.Storage;

/// <summary>
/// Makes a store of the parts that <see cref="PageScan"/> gave and of the journal from its beginning on. The store
/// appears under its name only when it is whole and every page of it was verified. It has another
/// <see cref="StorageEnvironment.StoreId"/> than the one it is a copy of, and it may be encrypted, under whatever key,
/// or not. Not thread-safe.
/// </summary>
public sealed unsafe class StoreRestore : IDisposable
{
    private readonly StorageOptions _options;
    private readonly IStorageFiles _files;
    private readonly Stack<IDisposable> _taken = new();
    private readonly string _path;
    private readonly string _temporary;
    private readonly Guid _storeId = Guid.NewGuid();
    private readonly StoreLife _life = StoreLife.Begin(StoreOrigin.Restored);
    private readonly EncryptionState? _keys;
    private readonly StoreCipher? _cipher;
    private readonly IStorageFile _file;
    private readonly DataFile _data;
    private readonly ScratchPool _scratch;
    private readonly MemoryStream _run = new();
    private long _runNumber;
    private int _runPages;
    private LogState _state;
    private Recovery? _replay;
    private bool _completed;

    /// <summary>
    /// Begins, in a folder that has no store yet. What an interrupted restore has left there is removed.
    /// </summary>
    /// <exception cref="StorageException">There is a store, or the folder is in use.</exception>
    public StoreRestore(StorageOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        _options = options;
        _path = options.Path ?? throw new ArgumentException("A restore needs StorageOptions.Path.", nameof(options));
        _files = options.Files ?? NativeStorageFiles.Instance;
        _temporary = DataPath + StoreOpener.UnfinishedSuffix;
        var userKey = options.Encryption is null ? null : UserKey.Read(options.Encryption);
        try
        {
            DurableFolder.Create(_files, _path);
            _taken.Push(
                _files.Lock(
                    Path.Combine(_path, "pipeline.lock"),
                    string.Create(
                        CultureInfo.InvariantCulture,
                        $"a restore by process {Environment.ProcessId} on {Environment.MachineName}"
                    )
                )
            );
            if (_files.Exists(DataPath))
                throw new StoreExistsException(_path);
            DurableFolder.Create(_files, JournalPath);
            _taken.Push(
                JournalOwnership.Lock(
                    _files,
                    JournalPath,
                    _path,
                    string.Create(
                        CultureInfo.InvariantCulture,
                        $"a restore by process {Environment.ProcessId} on {Environment.MachineName}"
                    )
                )
            );
            foreach (var stale in _files.List(JournalPath, JournalLayout.Suffix))
            {
                using var file = _files.Open(stale, create: false);
                JournalOwnership.CheckLeftover(file, _path, JournalPath);
            }
            RemoveUnfinished();
            if (userKey is not null)
            {
                var key = DataKey.New(1);
                _keys = new EncryptionState(
                    [EncryptionState.Wrap(key, userKey, _storeId, options.TimeProvider.GetUtcNow().UtcTicks)],
                    1
                );
                _cipher = new StoreCipher(_storeId, [key]);
                _taken.Push(_cipher);
            }
            _file = _files.Open(_temporary, create: true);
            if (!_file.TryLock())
                throw new StoreInUseException(_temporary, StoreInUseException.Unnamed);
            _data = new DataFile(_file, options, Verify, _cipher);
            _taken.Push(_data);
            _scratch = new ScratchPool(options.FlushScratchBytes, wipe: _cipher is not null);
            _taken.Push(_scratch);
        }
        catch
        {
            Dispose();
            throw;
        }
        finally
        {
            CryptographicOperations.ZeroMemory(userKey);
        }
    }

    /// <summary>The store as of the last transaction applied.</summary>
    public LogState State => _state;

    private bool Verify => (_options.Faults & StorageFaults.IgnoreChecksums) == 0;

    private string DataPath => Path.Combine(_path, "pipeline.data");

    private string JournalPath => _options.JournalPath ?? Path.Combine(_path, "journal");

    private void RemoveUnfinished()
    {
        if (!_files.Exists(_temporary))
            return;
        using (var file = _files.Open(_temporary, create: false))
        {
            if (!file.TryLock())
                throw new StoreInUseException(_temporary, StoreInUseException.Unnamed);
        }
        _files.Delete(_temporary);
    }

    /// <summary>Takes a part's pages; parts come in order.</summary>
    /// <exception cref="CorruptPageException">A page is damaged or belongs elsewhere.</exception>
    public void AddPart(long part, ReadOnlySpan<byte> bytes)
    {
        if (bytes.Length < PageScan.MapBytes)
            throw Damaged(part, $"it has {bytes.Length} bytes");
        var map = bytes[..PageScan.MapBytes];
        var pages = bytes[PageScan.MapBytes..];
        var first = part * PageScan.PagesPerPart;
        var used = 0;
        foreach (var bits in map)
            used += int.PopCount(bits);
        if (pages.Length != used << PageLayout.PageShift)
            throw Damaged(part, $"it has {pages.Length} bytes for {used} pages");
        _data.EnsurePages(first + PageScan.PagesPerPart);
        fixed (byte* start = pages)
        {
            var done = 0;
            for (var at = 0; at < PageScan.PagesPerPart; )
            {
                if (!IsSet(map, at))
                {
                    at++;
                    continue;
                }
                var end = at + 1;
                while (end < PageScan.PagesPerPart && IsSet(map, end))
                    end++;
                AddRange(first + at, start + ((long)done << PageLayout.PageShift), end - at);
                done += end - at;
                at = end;
            }
        }
    }

    /// <summary>Ends the parts: from here on the journal follows.</summary>
    /// <param name="begin">The store as of <see cref="PageScan.Begin"/>.</param>
    /// <param name="isOneSnapshot">
    /// Whether the parts are all of it, and not of several transactions, which only <see cref="CheckPages"/> makes one.
    /// </param>
    public void BeginLog(LogState begin, bool isOneSnapshot)
    {
        if (_runPages != 0)
        {
            throw new CorruptPageException(
                _temporary,
                _runNumber,
                null,
                $"its run of {_runPages} pages is not complete"
            );
        }

        _state = begin;
        // Pages of several transactions have no usable checksums until everything is applied. Encrypted ones therefore
        // cannot be written before that.
        _replay = NewReplay(isOneSnapshot || _cipher is null ? _options.FlushScratchBytes : long.MaxValue);
    }

    /// <summary>Applies the next transaction.</summary>
    /// <exception cref="LogUnavailableException">It is not the next one.</exception>
    /// <exception cref="JournalCorruptException">Its records make no sense.</exception>
    public void Apply(LogState state, int recordCount, ReadOnlySpan<byte> records)
    {
        if (state.Transaction != _state.Transaction + 1)
        {
            throw new LogUnavailableException(
                _path,
                _state.Transaction + 1,
                $"transaction {state.Transaction} came in its place"
            );
        }

        fixed (byte* start = records)
            _replay!.Apply(ToState(state), start, start + records.Length, recordCount);
        _state = state;
    }

    /// <summary>Verifies the pages that the journal has touched so far.</summary>
    /// <exception cref="CorruptPageException">
    /// One is not as it should be: part of the journal is missing, or the pages are another store's.
    /// </exception>
    public void CheckPages()
    {
        _replay!.Finish(ToState(_state));
        _replay.Dispose();
        _replay = NewReplay(_options.FlushScratchBytes);
    }

    /// <summary>Makes the store durable and gives it its name.</summary>
    public void Complete()
    {
        CheckPages();
        _data.EnsurePages(_state.PageCount);
        foreach (var stale in _files.List(JournalPath, JournalLayout.Suffix))
        {
            using (var file = _files.Open(stale, create: false))
                JournalOwnership.CheckLeftover(file, _path, JournalPath);
            _files.Delete(stale);
        }
        using (var files = new JournalFiles(_files, JournalPath, _storeId, _options, static _ => { }))
            files.Start(1, 0);
        _data.Sync();
        _data.WriteMeta(Meta());
        _data.Sync();
        _files.Move(_temporary, DataPath);
        _files.SyncDirectory(_path);
        _completed = true;
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _replay?.Dispose();
        _replay = null;
        while (_taken.TryPop(out var resource))
        {
            if (resource is DataFile && !_completed)
            {
                resource.Dispose();
                _files.Delete(_temporary);
                continue;
            }
            resource.Dispose();
        }
        _run.Dispose();
    }

    private static bool IsSet(ReadOnlySpan<byte> map, int at) => (map[at >> 3] & (1 << (at & 7))) != 0;

    /// <summary>Writes adjacent pages after verifying them.</summary>
    private void AddRange(long number, byte* pages, int count)
    {
        if (_cipher is null)
            _file.Write(number << PageLayout.PageShift, new ReadOnlySpan<byte>(pages, count << PageLayout.PageShift));
        for (var i = 0; i < count; )
        {
            var page = pages + ((long)i << PageLayout.PageShift);
            if (_runPages > 0)
            {
                var taken = Math.Min(count - i, _runPages - (int)(_run.Length >> PageLayout.PageShift));
                if (_runNumber + (_run.Length >> PageLayout.PageShift) != number + i)
                {
                    throw new CorruptPageException(
                        _temporary,
                        _runNumber,
                        null,
                        $"its run of {_runPages} pages is not complete"
                    );
                }

                _run.Write(new ReadOnlySpan<byte>(page, taken << PageLayout.PageShift));
                i += taken;
                if (_run.Length >> PageLayout.PageShift == _runPages)
                {
                    fixed (byte* run = _run.GetBuffer())
                        Add(_runNumber, run, _runPages);
                    _run.SetLength(0);
                    _runPages = 0;
                }
                continue;
            }
            var length = PageLayout.PagesOf(page);
            if (length is < 1 or > (int)PageLayout.PagesPerGroup)
                throw new CorruptPageException(_temporary, number + i, null, $"its run of {length} pages cannot be");
            if (length > count - i)
            {
                (_runNumber, _runPages) = (number + i, length);
                continue;
            }
            Add(number + i, page, length);
            i += length;
        }
    }

    private void Add(long number, byte* page, int count)
    {
        if (Verify && PageChecksum.Check(page, number, count) is { } fault)
            throw new CorruptPageException(_temporary, number, null, fault);
        if (_cipher is null)
            return;
        using var encrypted = new NativeBuffer();
        var output = encrypted.Ensure((long)count << PageLayout.PageShift);
        _cipher.EncryptPage(page, number, count, output);
        _file.Write(number << PageLayout.PageShift, new ReadOnlySpan<byte>(output, count << PageLayout.PageShift));
    }

    private Recovery NewReplay(long flushBytes) => new(_data, _scratch, flushBytes, Verify, Meta());

    private MetaPage Meta() =>
        new()
        {
            Sequence = 2,
            StoreId = _storeId,
            Life = _life,
            Encryption = _keys,
            State = ToState(_state),
        };

    private static StoreState ToState(LogState state) =>
        new()
        {
            TransactionId = state.Transaction,
            PageCount = state.PageCount,
            FreePages = state.FreePages,
            CatalogRoot = state.CatalogRoot,
            Ticks = state.Ticks,
            Mark = state.Mark,
            Journal = new JournalPosition(1, JournalLayout.Block, 0),
        };

    private CorruptPageException Damaged(long part, string reason) =>
        new(_temporary, part * PageScan.PagesPerPart, null, $"part {part} is damaged: {reason}");
}
