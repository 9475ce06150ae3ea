namespace Pipeline.Storage;

/// <summary>
/// One transaction's entry in the making: a header of <see cref="JournalLayout.EntryHeader"/> bytes, then a record for
/// each page. Reused from transaction to transaction. Not thread-safe.
/// </summary>
internal sealed unsafe class JournalEntry(StoreCipher? cipher, JournalCompressor? compressor) : IDisposable
{
    private const long KeptBytes = 16 << 20;
    private NativeBuffer _buffer = new(wipe: cipher is not null);
    private NativeBuffer _spare = new(wipe: cipher is not null);
    private long _recordBytes;
    private int _records;
    private bool _compressed;
    private TimeSpan? _spent;

    /// <summary>Bytes that the entry takes in the journal; known once <see cref="Complete"/> was called.</summary>
    public long AlignedLength => JournalLayout.Align(_buffer.Length);

    /// <summary>The finished entry, padded with zeros.</summary>
    public byte* Bytes => _buffer.Start;

    /// <summary>Begins an entry.</summary>
    public void Begin()
    {
        _buffer.Trim(KeptBytes);
        _buffer.Length = 0;
        new Span<byte>(_buffer.Ensure(JournalLayout.EntryHeader), JournalLayout.EntryHeader).Clear();
        _buffer.Length = JournalLayout.EntryHeader;
        _records = 0;
        _compressed = false;
        _spent = null;
    }

    /// <summary>Adds the record of one page: what changed against its base, or that it was freed.</summary>
    public void Add(PageVersion* version)
    {
        var length = (long)version->PageCount << PageLayout.PageShift;
        var freed = version->Kind == PageVersionKind.Freed;
        var output = _buffer.Ensure(32 + (freed ? 0 : PageDiff.MaxSize(length)));
        *output++ = (byte)version->Kind;
        output = PageDiff.WriteVarint(output, version->PageNumber);
        output = PageDiff.WriteVarint(output, version->PageCount);
        if (version->Kind == PageVersionKind.Changed && version->PageCount == 1)
            output = PageDiff.Write(version->Base, PageVersion.Page(version), version->DirtyLines, output);
        else if (!freed)
            output = PageDiff.Write(version->Base, PageVersion.Page(version), length, output);
        _buffer.Length = output - _buffer.Start;
        _records++;
    }

    /// <summary>Adds records that another node made.</summary>
    public void Add(byte* records, long bytes, int count)
    {
        Buffer.MemoryCopy(records, _buffer.Ensure(bytes), bytes, bytes);
        _buffer.Length += bytes;
        _records += count;
    }

    /// <summary>
    /// Writes the entry of a shared log with the same records. Must come before <see cref="Complete"/>.
    /// </summary>
    public void WriteLogEntry(NativeBuffer output, StoreState state)
    {
        var bytes = _buffer.Length - JournalLayout.EntryHeader;
        output.Trim(KeptBytes);
        output.Length = 0;
        var entry = output.Ensure(LogEntry.HeaderBytes + bytes);
        Buffer.MemoryCopy(_buffer.Start + JournalLayout.EntryHeader, entry + LogEntry.HeaderBytes, bytes, bytes);
        output.Length = LogEntry.HeaderBytes + bytes;
        LogEntry.Finish(entry, output.Length, state, _records);
    }

    /// <summary>Ends the records, and compresses them if that pays off.</summary>
    public void Complete()
    {
        _recordBytes = _buffer.Length - JournalLayout.EntryHeader;
        if (compressor is null || _recordBytes < JournalCompressor.MinBytes)
            return;
        _spare.Trim(KeptBytes);
        _spare.Length = 0;
        var header = _spare.Ensure(JournalLayout.EntryHeader + _recordBytes);
        if (
            !compressor.TryCompress(
                _buffer.Start + JournalLayout.EntryHeader,
                _recordBytes,
                header + JournalLayout.EntryHeader,
                out var length,
                out _spent
            )
        )
        {
            return;
        }

        new Span<byte>(header, JournalLayout.EntryHeader).Clear();
        _spare.Length = JournalLayout.EntryHeader + length;
        (_buffer, _spare) = (_spare, _buffer);
        _compressed = true;
    }

    /// <summary>Notes how long the write and sync of the entry took.</summary>
    public void Written(TimeSpan duration) => compressor?.Written(_recordBytes, _spent, duration);

    /// <summary>
    /// Fills the header and the checksum, which it returns; the entry is then ready to be written at its place. So many
    /// transactions right before it may have entries that are not durable.
    /// </summary>
    public uint Finish(Guid storeId, long file, uint chain, StoreState state, uint unsynced = 0)
    {
        var length = _buffer.Length;
        var padding = AlignedLength - length;
        new Span<byte>(_buffer.Ensure(padding), (int)padding).Clear();
        var header = _buffer.Start;
        *(uint*)header = JournalLayout.EntryMagic;
        *(long*)(header + 8) = file;
        *(long*)(header + 16) = state.TransactionId;
        *(uint*)(header + 24) = chain;
        *(uint*)(header + 28) =
            (cipher is null ? 0 : JournalLayout.EncryptedFlag)
            | (_compressed ? JournalLayout.CompressedFlag : 0)
            | (state.Mark == 0 ? 0 : JournalLayout.MarkedFlag);
        *(long*)(header + JournalLayout.MarkOffset) = state.Mark;
        *(long*)(header + 32) = length - JournalLayout.EntryHeader;
        *(long*)(header + 40) = _recordBytes;
        *(long*)(header + 48) = state.PageCount;
        *(long*)(header + 56) = state.FreePages;
        *(long*)(header + 64) = state.CatalogRoot;
        *(long*)(header + 72) = state.Ticks;
        *(int*)(header + 80) = _records;
        *(uint*)(header + JournalLayout.UnsyncedOffset) = unsynced;
        cipher?.EncryptEntry(header, length - JournalLayout.EntryHeader);
        var checksum = Crc32C.Compute(JournalLayout.Seed(storeId, file), header + 8, length - 8);
        *(uint*)(header + 4) = checksum;
        return checksum;
    }

    public void Dispose()
    {
        _buffer.Dispose();
        _spare.Dispose();
    }
}
