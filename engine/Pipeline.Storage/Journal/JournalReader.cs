namespace Pipeline.Storage;

/// <summary>
/// Reads the journal from a checkpoint on, entry by entry. It distinguishes a torn end, which is no error, from damage
/// within the journal, which is one: an invalid entry is the end only if no valid one of a later place or file follows.
/// </summary>
internal sealed unsafe partial class JournalReader : IDisposable
{
    /// <summary>More than any entry has: 64 GiB.</summary>
    private const long MaxRecordBytes = 1L << 36;

    private readonly IStorageFiles _files;
    private readonly string _directory;
    private readonly Guid _storeId;
    private readonly NativeBuffer _buffer;
    private readonly NativeBuffer _plain;
    private readonly StoreCipher? _cipher;
    private readonly SortedDictionary<long, string> _named = [];
    private readonly List<string> _spares = [];
    private readonly List<(string Path, string Owner)> _foreign = [];
    private readonly bool _checkChecksums;

    public JournalReader(
        IStorageFiles files,
        string directory,
        Guid storeId,
        bool checkChecksums,
        StoreCipher? cipher = null,
        long firstFile = 0
    )
    {
        (_cipher, _buffer, _plain) = (
            cipher,
            new NativeBuffer(wipe: cipher is not null),
            new NativeBuffer(wipe: cipher is not null)
        );
        (_files, _directory, _storeId, _checkChecksums) = (files, directory, storeId, checkChecksums);
        foreach (var path in files.List(directory, JournalLayout.Suffix))
        {
            var number = JournalLayout.NumberOf(path);
            if (number < firstFile)
                continue;
            HighestNumber = Math.Max(HighestNumber, number);
            if (firstFile > 0)
            {
                _named[number] = path; // In an open store, a file being prepared may be renamed at any time.
                continue;
            }
            using var file = files.Open(path, create: false);
            var whose = JournalFileHeader.Read(file, storeId, out var owner, out _, out var inside);
            HighestNumber = Math.Max(HighestNumber, inside);
            if (whose == JournalFileOwner.Foreign)
                _foreign.Add((path, owner));
            else
                _named[number] = path;
            if (whose is JournalFileOwner.Own or JournalFileOwner.Nobody)
                _spares.Add(path);
        }
    }

    /// <summary>Do as if there was no libzstd; for tests.</summary>
    public bool WithoutZstd { get; init; }

    /// <summary>The highest number in a file's name or header.</summary>
    public long HighestNumber { get; private set; }

    /// <summary>
    /// All files that belong to this store or to none. A checkpoint behind the last entry read makes them spare.
    /// </summary>
    public IReadOnlyList<string> Files => TakesForeign ? [.. _spares, .. _foreign.Select(f => f.Path)] : _spares;

    /// <summary>Files of other stores, which must not be touched.</summary>
    public IReadOnlyList<(string Path, string Owner)> Foreign => TakesForeign ? [] : _foreign;

    /// <summary>Do as if all files were the store's; a bug that tests plant.</summary>
    public bool TakesForeign { get; init; }

    /// <summary>Bytes of the entries that were read.</summary>
    public long BytesRead { get; private set; }

    /// <summary>
    /// Hands each transaction after the state to the handler: its state and the bytes of its records. Returns the last
    /// one's state.
    /// </summary>
    /// <exception cref="JournalCorruptException">A committed transaction is missing or damaged.</exception>
    /// <exception cref="CompressionUnavailableException">An entry is compressed, and there is no libzstd.</exception>
    public StoreState Replay(StoreState state, RecordHandler handler)
    {
        var position = state.Journal;
        if (!_named.TryGetValue(position.File, out var path))
        {
            throw new JournalCorruptException(
                JournalLayout.PathOf(_directory, position.File),
                position.Offset,
                state.TransactionId + 1,
                "the journal file that follows the last checkpoint is missing; a journal in another folder is found only by journalPath"
            );
        }
        while (true)
        {
            using var file = _files.Open(path, create: false);
            if (JournalFileHeader.Read(file, _storeId) != position.File)
            {
                throw new JournalCorruptException(
                    file.Path,
                    0,
                    state.TransactionId + 1,
                    "the header of the next journal file is damaged or belongs to another store"
                );
            }
            while (
                TryRead(file, position, position.Offset, out var found)
                && found.TransactionId == state.TransactionId + 1
                && ChainOf(_buffer.Start) == position.Chain
            )
            {
                Decrypt(file, position, found.TransactionId);
                Hand(file, position, found, handler);
                BytesRead += found.Journal.Offset - position.Offset;
                state = found;
                position = found.Journal;
            }
            FailIfEntryFollows(file, position, state);
            var next = position.File + 1;
            if (!Continues(path, position, state))
                break;
            position = new JournalPosition(next, JournalLayout.Block, position.Chain);
            path = _named[next];
        }
        return state;
    }

    public void Dispose()
    {
        _buffer.Dispose();
        _plain.Dispose();
    }

    /// <summary>
    /// Whether the file after the one that was read to a position begins with the next transaction; any other valid
    /// entry in it or a later file is damage before it: at the position, where the file begins with a later
    /// transaction.
    /// </summary>
    private bool Continues(string path, JournalPosition position, StoreState state)
    {
        var number = position.File + 1;
        var continues = false;
        foreach (var (other, otherPath) in _named.Where(n => n.Key >= number))
        {
            using var file = _files.Open(otherPath, create: false);
            var place = new JournalPosition(other, JournalLayout.Block, 0);
            var begins = other == number && TryRead(file, place, place.Offset, out var found) ? found : null;
            if (begins?.TransactionId > state.TransactionId + 1 && ProvesNext(begins, state))
            {
                throw new JournalCorruptException(
                    path,
                    position.Offset,
                    state.TransactionId + 1,
                    $"its entry is missing or damaged, but the next file begins with the valid one of transaction {begins.TransactionId}"
                );
            }
            if (begins?.TransactionId == state.TransactionId + 1 && ChainOf(_buffer.Start) == position.Chain)
                continues = true;
            else if (!continues)
                FailIfEntryFollows(file, place, state);
        }
        return continues;
    }

    private void FailIfEntryFollows(IStorageFile file, JournalPosition position, StoreState state)
    {
        var block = stackalloc byte[JournalLayout.EntryHeader];
        var length = file.Length;
        for (var offset = position.Offset; offset + JournalLayout.Block <= length; offset += JournalLayout.Block)
        {
            if (
                file.Read(offset, new Span<byte>(block, JournalLayout.EntryHeader)) < JournalLayout.EntryHeader
                || *(uint*)block != JournalLayout.EntryMagic
            )
            {
                continue;
            }

            if (
                TryRead(file, position, offset, out var found)
                && found.TransactionId > state.TransactionId
                && ProvesNext(found, state)
            )
            {
                throw new JournalCorruptException(
                    file.Path,
                    position.Offset,
                    state.TransactionId + 1,
                    $"its entry is missing or damaged, but the valid one of transaction {found.TransactionId} follows at offset {offset}"
                );
            }
        }
    }

    /// <summary>
    /// Whether the valid entry in the buffer, of a later transaction, proves that the one after the state was durable
    /// once. A replica writes several entries before it syncs; a crash may lose any of those, and the shared log still
    /// has them.
    /// </summary>
    private bool ProvesNext(StoreState found, StoreState state)
    {
        var unsynced = *(uint*)(_buffer.Start + JournalLayout.UnsyncedOffset);
        return unsynced == 0 || found.TransactionId - 1 - unsynced > state.TransactionId;
    }

    /// <summary>Reads the entry at the offset into the buffer; false if there is no valid one of this file.</summary>
    private bool TryRead(IStorageFile file, JournalPosition position, long offset, out StoreState state)
    {
        state = null!;
        _buffer.Length = 0;
        var header = _buffer.Ensure(JournalLayout.EntryHeader);
        if (file.Read(offset, new Span<byte>(header, JournalLayout.EntryHeader)) < JournalLayout.EntryHeader)
            return false;
        var length = *(long*)(header + 32);
        if (
            *(uint*)header != JournalLayout.EntryMagic
            || *(long*)(header + 8) != position.File
            || length < 0
            || length > file.Length - offset - JournalLayout.EntryHeader
        )
        {
            return false;
        }

        var total = length + JournalLayout.EntryHeader;
        _buffer.Ensure(total);
        for (var done = 0L; done < total; )
        {
            var n = (int)Math.Min(total - done, 1 << 24);
            if (file.Read(offset + done, new Span<byte>(_buffer.Start + done, n)) < n)
                return false;
            done += n;
        }
        header = _buffer.Start;
        _buffer.Length = total;
        var checksum = Crc32C.Compute(JournalLayout.Seed(_storeId, position.File), header + 8, total - 8);
        if (_checkChecksums && checksum != *(uint*)(header + 4))
            return false;
        state = new StoreState
        {
            TransactionId = *(long*)(header + 16),
            PageCount = *(long*)(header + 48),
            FreePages = *(long*)(header + 56),
            CatalogRoot = *(long*)(header + 64),
            Ticks = *(long*)(header + 72),
            Mark =
                (*(uint*)(header + 28) & JournalLayout.MarkedFlag) == 0
                    ? 0
                    : *(long*)(header + JournalLayout.MarkOffset),
            Journal = new JournalPosition(position.File, offset + JournalLayout.Align(total), *(uint*)(header + 4)),
        };
        return true;
    }

    private void Decrypt(IStorageFile file, JournalPosition position, long transaction)
    {
        var encrypted = (*(uint*)(_buffer.Start + 28) & JournalLayout.EncryptedFlag) != 0;
        var reason =
            encrypted != _cipher is not null
                ? encrypted
                    ? "its entry is encrypted, the store is not"
                    : "its entry is not encrypted, the store is"
                : _cipher?.DecryptEntry(_buffer.Start, _buffer.Length - JournalLayout.EntryHeader);
        if (reason is not null)
            throw new JournalCorruptException(file.Path, position.Offset, transaction, reason);
    }

    /// <summary>Hands the records of the entry in the buffer, decrypted, to the handler.</summary>
    private void Hand(IStorageFile file, JournalPosition position, StoreState state, RecordHandler handler)
    {
        var header = _buffer.Start;
        var records = header + JournalLayout.EntryHeader;
        var (stored, length) = (_buffer.Length - JournalLayout.EntryHeader, *(long*)(header + 40));
        if ((*(uint*)(header + 28) & JournalLayout.CompressedFlag) != 0)
        {
            if (WithoutZstd || !Zstd.IsAvailable)
            {
                throw new CompressionUnavailableException(
                    $"{file.Path}: the entry of transaction {state.TransactionId} at offset {position.Offset}",
                    Zstd.Problem ?? "tests do without libzstd"
                );
            }

            _plain.Length = 0;
            if (
                length < 0
                || length > MaxRecordBytes
                || !Zstd.TryDecompress(records, stored, _plain.Ensure(length), length, null, out var written)
                || written != length
            )
            {
                throw new JournalCorruptException(
                    file.Path,
                    position.Offset,
                    state.TransactionId,
                    "its entry cannot be decompressed"
                );
            }

            records = _plain.Start;
            stored = length;
        }
        handler(state, records, records + stored, *(int*)(header + 80));
    }

    private static uint ChainOf(byte* header) => *(uint*)(header + 24);
}

/// <summary>Takes the records of one committed transaction.</summary>
internal unsafe delegate void RecordHandler(StoreState state, byte* records, byte* end, int count);
