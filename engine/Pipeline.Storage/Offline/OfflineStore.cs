using System.Globalization;
using System.Security.Cryptography;

namespace Pipeline.Storage;

/// <summary>
/// A store that is inspected without being opened. Only its lock file is changed, which excludes other processes. The
/// state is that of the last transaction in the journal that can be read. Not thread-safe.
/// </summary>
public sealed unsafe partial class OfflineStore : IDisposable
{
    private readonly IReadOnlyList<IDisposable> _locks;
    private readonly IStorageFile _file;
    private readonly StoreCipher? _cipher;
    private readonly OfflinePages _pages;
    private readonly List<StorageProblem> _problems = [];
    private readonly List<string> _notes = [];
    private int _metas;

    private OfflineStore(
        StorageOptions options,
        IStorageFiles files,
        string path,
        IReadOnlyList<IDisposable> locks,
        IStorageFile file
    )
    {
        (_locks, _file) = (locks, file);
        var journalPath = options.JournalPath ?? System.IO.Path.Combine(path, "journal");
        var meta = ReadMetas();
        HasState = meta is not null;
        _cipher = meta is null ? null : OpenCipher(meta, options.Encryption);
        var pages = new OfflineFile(file, _cipher);
        _pages = new OfflinePages(pages, meta?.State ?? Unknown(), options.Encryption?.MaxPlainBytes ?? 0);
        if (_cipher is not null)
            TakeCopies(files, path, meta!, pages);
        if (meta is not null)
        {
            Replay(files, journalPath, meta);
        }
        else if (IsEncrypted())
        {
            _problems.Add(
                new StorageProblem(
                    file.Path,
                    0,
                    "the store is encrypted and its keys were in the meta pages; without a copy of one of these pages nothing is readable"
                )
                {
                    IsLoss = true,
                }
            );
        }
        else
        {
            Guess(files, journalPath, null, null);
        }
    }

    /// <summary>The data file.</summary>
    public string DataPath => _file.Path;

    /// <summary>The last transaction that can be read.</summary>
    public long Transaction => _pages.State.TransactionId;

    /// <summary>The problems of the meta pages and the journal.</summary>
    public IReadOnlyList<StorageProblem> Problems => _problems;

    /// <summary>Findings that a crash may well have caused and that opening the store repairs.</summary>
    public IReadOnlyList<string> Notes => _notes;

    /// <summary>Journal bytes behind the checkpoint.</summary>
    public long JournalBytes { get; private set; }

    internal OfflinePages Pages => _pages;

    /// <summary>Whether the root of the catalog is known.</summary>
    internal bool HasState { get; private set; }

    /// <summary>Takes the store's lock and reads its meta pages and journal.</summary>
    /// <exception cref="StoreInUseException">A process has it open.</exception>
    /// <exception cref="NewerFormatException">A newer version wrote it.</exception>
    /// <exception cref="FileNotFoundException">There is no data file.</exception>
    /// <exception cref="InvalidKeyException">The source of the encryption key gives none.</exception>
    /// <exception cref="WrongKeyException">The store is encrypted under another key.</exception>
    /// <exception cref="EncryptionMismatchException">
    /// The store is encrypted and no key is given, or the other way round.
    /// </exception>
    public static OfflineStore Open(StorageOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        var files = options.Files ?? NativeStorageFiles.Instance;
        var path =
            options.Path
            ?? throw new ArgumentException("A store in memory cannot be inspected from outside.", nameof(options));
        var data = System.IO.Path.Combine(path, "pipeline.data");
        if (!files.Exists(data))
            throw new FileNotFoundException($"{data}: there is no store.", data);
        var holder = string.Create(
            CultureInfo.InvariantCulture,
            $"process {Environment.ProcessId} ({System.IO.Path.GetFileName(Environment.ProcessPath)}), a check or salvage"
        );
        var locks = new List<IDisposable> { files.Lock(System.IO.Path.Combine(path, "pipeline.lock"), holder) };
        IStorageFile? file = null;
        try
        {
            var journal = options.JournalPath ?? System.IO.Path.Combine(path, "journal");
            if (files.List(journal, JournalLayout.Suffix).Count > 0)
                locks.Add(JournalOwnership.Lock(files, journal, path, holder));
            file = files.Open(data, create: false);
            if (!file.TryLock())
                throw new StoreInUseException(data, StoreInUseException.Unnamed);
            return new OfflineStore(options, files, path, locks, file);
        }
        catch
        {
            file?.Dispose();
            locks.ForEach(l => l.Dispose());
            throw;
        }
    }

    /// <summary>
    /// The trees as of <see cref="Transaction"/>. Reads of damaged pages throw <see cref="CorruptPageException"/>.
    /// </summary>
    public Transaction BeginRead() => new OfflineTransaction(_pages);

    /// <summary>Checks everything; see <see cref="StorageChecker"/>.</summary>
    /// <param name="progress">Receives the number of visited pages.</param>
    /// <param name="ct">Stops the check.</param>
    public StorageReport Check(IProgress<long>? progress = null, CancellationToken ct = default)
    {
        var report = StorageChecker.Check(_pages, _pages.State, progress, ct);
        return report with { StoreProblems = [.. _problems, .. report.StoreProblems] };
    }

    /// <summary>Lets go of the store.</summary>
    public void Dispose()
    {
        _pages.Dispose();
        _cipher?.Dispose();
        _file.Dispose();
        foreach (var @lock in _locks)
            @lock.Dispose();
    }

    private MetaPage? ReadMetas()
    {
        var bytes = new byte[2 * PageLayout.PageSize];
        MetaPage? best = null;
        var valid = 0;
        for (var slot = 0; slot < 2; slot++)
        {
            try
            {
                _file.Read(slot * PageLayout.PageSize, bytes.AsSpan(slot * PageLayout.PageSize, PageLayout.PageSize));
            }
            catch (IOException e)
            {
                _problems.Add(
                    new StorageProblem(_file.Path, slot, $"the meta page cannot be read: {e.Message.TrimEnd('.')}")
                );
            }
            fixed (byte* page = &bytes[slot * PageLayout.PageSize])
            {
                if (MetaPage.Decode(_file.Path, page, slot) is not { } meta)
                    continue;
                valid++;
                if (best is null || meta.Sequence > best.Sequence)
                    best = meta;
            }
        }
        _metas = valid;
        if (valid == 1)
        {
            _notes.Add(
                $"{_file.Path}: meta page {1 - (best!.Sequence & 1)} is not valid (a crash during its write can cause this); the other one is used"
            );
        }
        else if (valid == 0)
        {
            _problems.Add(
                new StorageProblem(
                    _file.Path,
                    0,
                    "neither of the meta pages 0 and 1 is valid. The store cannot be opened: its last state and the place in the journal are unknown"
                )
            );
        }

        return best;
    }

    private StoreCipher? OpenCipher(MetaPage meta, StorageEncryption? encryption)
    {
        var userKey = encryption is null ? null : UserKey.Read(encryption);
        try
        {
            return StoreOpener.OpenCipher(_file.Path, meta, encryption, userKey);
        }
        finally
        {
            CryptographicOperations.ZeroMemory(userKey);
        }
    }

    /// <summary>The page copies that opening would write over pages that a crash may have torn.</summary>
    private void TakeCopies(IStorageFiles files, string path, MetaPage meta, OfflineFile pages)
    {
        try
        {
            using var copies = FlushFile.OpenExisting(files, path, meta.StoreId);
            if (copies?.Restore(meta.Sequence, pages.Pages, pages.TakeCopy) is > 0 and var count)
            {
                _notes.Add(
                    string.Create(
                        CultureInfo.InvariantCulture,
                        $"{path}: {count} pages are taken from the copies of a flush that a crash has interrupted"
                    )
                );
            }
        }
        catch (Exception e) when (e is IOException or CorruptPageException)
        {
            _problems.Add(
                new StorageProblem(
                    System.IO.Path.Combine(path, FlushFile.Name),
                    null,
                    $"the copies of an interrupted flush cannot be read: {e.Message.TrimEnd('.')}"
                )
            );
        }
    }

    /// <summary>Whether the first allocation page, which each store has, lies there encrypted.</summary>
    private bool IsEncrypted()
    {
        var header = new byte[PageLayout.HeaderSize];
        return _file.Read(PageLayout.AllocationPageInGroup << PageLayout.PageShift, header) == header.Length
            && header[PageLayout.TypeOffset] == (byte)PageType.Allocation
            && header[PageLayout.FlagsOffset] != 0;
    }

    private void Replay(IStorageFiles files, string journalPath, MetaPage meta)
    {
        try
        {
            using var reader = new JournalReader(files, journalPath, meta.StoreId, checkChecksums: true, _cipher);
            foreach (var (foreign, owner) in reader.Foreign)
            {
                _problems.Add(
                    new StorageProblem(
                        foreign,
                        null,
                        $"it belongs to {owner}: the store cannot be opened while that file is there"
                    )
                );
            }

            reader.Replay(meta.State, _pages.Apply);
            JournalBytes = reader.BytesRead;
        }
        catch (JournalCorruptException e) when (_metas == 1)
        {
            // Most likely the newer meta page is the damaged one, and the journal before it is already reused.
            _problems.Add(
                new StorageProblem(
                    _file.Path,
                    1 - (meta.Sequence & 1),
                    $"the newer meta page is not valid, so the store cannot be opened. The older one names a place in the journal that no longer exists ({e.Reason})"
                )
            );
            _notes.Clear();
            Guess(files, journalPath, meta.StoreId, meta.State);
        }
        catch (JournalCorruptException e)
        {
            _problems.Add(
                new StorageProblem(
                    e.File,
                    null,
                    $"at offset {e.Offset}: {e.Reason}; transactions from {e.Transaction} on are lost"
                )
                {
                    IsLoss = true,
                }
            );
        }
        catch (IOException e)
        {
            _problems.Add(
                new StorageProblem(
                    journalPath,
                    null,
                    $"the journal cannot be read: {e.Message.TrimEnd('.')}; transactions from {_pages.State.TransactionId + 1} on are lost"
                )
                {
                    IsLoss = true,
                }
            );
        }
    }

    /// <summary>
    /// Reconstructs the state without the newest meta page, from the journal's entries: each has the state after it.
    /// </summary>
    private void Guess(IStorageFiles files, string journalPath, Guid? store, StoreState? older)
    {
        try
        {
            _pages.Reset(older ?? Unknown());
            store ??= JournalScan.StoreIdOf(files, journalPath);
            var inFile = _pages.NewestInFile();
            var first = 0L;
            if (store is { } name)
            {
                using var reader = new JournalReader(files, journalPath, name, checkChecksums: true, _cipher);
                HasState |= reader.ReplayLastEntries(_pages.Apply) > 0;
                JournalBytes = reader.BytesRead;
                first = reader.FirstReplayed;
            }
            // The lost checkpoint is that of the last flush, whose pages the data file has; the chain must begin at or
            // before it.
            if (first > inFile + 1)
            {
                _problems.Add(
                    new StorageProblem(
                        journalPath,
                        null,
                        $"entries of transactions {inFile + 1} to {first - 1} are damaged: pages that only they changed are older than the others"
                    )
                    {
                        IsLoss = true,
                    }
                );
            }
            else if (first == 0 && older is not null && inFile > older.TransactionId)
            {
                _problems.Add(
                    new StorageProblem(
                        journalPath,
                        null,
                        $"no entry can be read: transactions from {older.TransactionId + 1} on are lost where pages that they changed are not in the data file"
                    )
                    {
                        IsLoss = true,
                    }
                );
            }
        }
        catch (Exception e) when (e is IOException or JournalCorruptException)
        {
            _problems.Add(
                new StorageProblem(journalPath, null, $"the journal cannot be read: {e.Message.TrimEnd('.')}")
                {
                    IsLoss = true,
                }
            );
        }
    }

    private StoreState Unknown() =>
        new()
        {
            TransactionId = 0,
            PageCount = Math.Max(3, _file.Length >> PageLayout.PageShift),
            FreePages = 0,
            CatalogRoot = 0,
            Ticks = 0,
            Journal = default,
        };
}
