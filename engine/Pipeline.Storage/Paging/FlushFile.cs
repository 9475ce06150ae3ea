namespace Pipeline.Storage;

/// <summary>
/// Where an encrypted store writes pages before they are written over their former selves. A page whose write a crash
/// has torn could not be decrypted, and the journal holds only what changed in it; so it is taken from here. Pages that
/// the journal makes from zeros need no such care. One file, used by one thread at a time; its content counts only
/// while the checkpoint is the one it was written after.
/// </summary>
internal sealed unsafe class FlushFile : IDisposable
{
    /// <summary>Its name, within the store's folder.</summary>
    public const string Name = "pipeline.flush";

    private const uint Magic = 0x3146_4650; // "PFF1" in bytes
    private const int FormatVersion = 1;
    private const int HeaderUsed = 64;
    private const int Start = JournalLayout.Block;
    private const int ChunkBytes = 256 << 10;
    private const long KeptBytes = 16 << 20;
    private readonly IStorageFile _file;
    private readonly Guid _storeId;
    private readonly byte[] _buffer = GC.AllocateUninitializedArray<byte>(ChunkBytes, pinned: true);

    private FlushFile(IStorageFile file, Guid storeId) => (_file, _storeId) = (file, storeId);

    /// <summary>Opens it for reading; null if there is none.</summary>
    public static FlushFile? OpenExisting(IStorageFiles files, string folder, Guid storeId)
    {
        var path = System.IO.Path.Combine(folder, Name);
        return files.Exists(path) ? new FlushFile(files.Open(path, create: false), storeId) : null;
    }

    /// <summary>Opens it. A new file is made durable under its name.</summary>
    public static FlushFile Open(IStorageFiles files, string folder, Guid storeId)
    {
        var path = System.IO.Path.Combine(folder, Name);
        var isNew = !files.Exists(path);
        var file = files.Open(path, create: true);
        try
        {
            if (isNew)
                files.SyncDirectory(folder);
            return new FlushFile(file, storeId);
        }
        catch
        {
            file.Dispose();
            throw;
        }
    }

    /// <summary>
    /// Writes and syncs the versions that recovery needs whole: all except those created after the checkpoint.
    /// </summary>
    /// <param name="versions">Sealed versions that are about to be written to the data file.</param>
    /// <param name="sequence">The sequence of the meta page that holds.</param>
    /// <param name="checkpoint">Its transaction.</param>
    /// <param name="cipher">Encrypts them.</param>
    /// <exception cref="DiskFullException">The disk is full; the data file is untouched.</exception>
    public void Write(ReadOnlySpan<nint> versions, long sequence, long checkpoint, StoreCipher cipher)
    {
        var (bytes, count, largest) = (0L, 0L, 1);
        foreach (var entry in versions)
        {
            var version = (PageVersion*)entry;
            if (version->NewSince > checkpoint)
                continue;
            bytes += (long)version->PageCount << PageLayout.PageShift;
            largest = Math.Max(largest, version->PageCount);
            count++;
        }
        if (count == 0)
            return;
        _file.Allocate(Start + bytes);
        var output = new NativeBuffer();
        try
        {
            var page = output.Ensure((long)largest << PageLayout.PageShift);
            var (at, used, crc) = ((long)Start, 0, 0u);
            foreach (var entry in versions)
            {
                var version = (PageVersion*)entry;
                if (version->NewSince > checkpoint)
                    continue;
                var length = version->PageCount << PageLayout.PageShift;
                cipher.EncryptPage(PageVersion.Page(version), version->PageNumber, version->PageCount, page);
                crc = Crc32C.Compute(crc, page, length);
                for (var done = 0; done < length; )
                {
                    var n = Math.Min(length - done, ChunkBytes - used);
                    new ReadOnlySpan<byte>(page + done, n).CopyTo(_buffer.AsSpan(used));
                    (used, done) = (used + n, done + n);
                    if (used == ChunkBytes)
                        at = WriteChunk(at, ref used);
                }
            }
            WriteChunk(at, ref used);
            WriteHeader(sequence, bytes, crc);
            _file.Sync();
        }
        finally
        {
            output.Dispose();
        }
    }

    /// <summary>
    /// Gives its pages and their places in the data file, if the file is complete and belongs to the checkpoint.
    /// Returns how many; 0 if there is nothing to do.
    /// </summary>
    public int Restore(long sequence, long maxPages, CopyTaker take)
    {
        var header = stackalloc byte[HeaderUsed];
        if (
            _file.Read(0, new Span<byte>(header, HeaderUsed)) < HeaderUsed
            || *(uint*)header != Magic
            || *(uint*)(header + 4) != Crc32C.Compute(0, header + 8, HeaderUsed - 8)
            || new Guid(new ReadOnlySpan<byte>(header + 16, 16)) != _storeId
            || *(long*)(header + 32) != sequence
        )
        {
            return 0;
        }

        if (*(int*)(header + 8) > FormatVersion)
            throw new NewerFormatException(_file.Path, *(int*)(header + 8), FormatVersion);
        var bytes = *(long*)(header + 40);
        if (bytes < 0 || Start + bytes > _file.Length || !Matches(bytes, *(uint*)(header + 48)))
            return 0;
        var count = 0;
        for (var at = 0L; at < bytes; count++)
        {
            _file.Read(Start + at, new Span<byte>(header, HeaderUsed));
            var pages = PageLayout.PagesOf(header);
            var number = PageLayout.Number(header);
            var length = (long)pages << PageLayout.PageShift;
            if (number < 2 || pages < 1 || number + pages > maxPages || length > bytes - at)
                throw new CorruptPageException(_file.Path, number, null, "its copy for recovery is not valid");
            for (var done = 0L; done < length; done += ChunkBytes)
            {
                var chunk = _buffer.AsSpan(0, (int)Math.Min(ChunkBytes, length - done));
                _file.Read(Start + at + done, chunk);
                take((number << PageLayout.PageShift) + done, chunk);
            }
            at += length;
        }
        return count;
    }

    /// <summary>Gives back the space of a large flush, or all of it, when its content is not needed.</summary>
    public void Trim(bool all)
    {
        if (all || _file.Length > KeptBytes)
            _file.Truncate(all ? 0 : KeptBytes);
    }

    public void Dispose() => _file.Dispose();

    private bool Matches(long bytes, uint expected)
    {
        var crc = 0u;
        fixed (byte* buffer = _buffer)
        {
            for (var done = 0L; done < bytes; )
            {
                var n = (int)Math.Min(ChunkBytes, bytes - done);
                if (_file.Read(Start + done, _buffer.AsSpan(0, n)) < n)
                    return false;
                crc = Crc32C.Compute(crc, buffer, n);
                done += n;
            }
        }
        return crc == expected;
    }

    private long WriteChunk(long at, ref int used)
    {
        if (used > 0)
            _file.Write(at, _buffer.AsSpan(0, used));
        at += used;
        used = 0;
        return at;
    }

    private void WriteHeader(long sequence, long bytes, uint crc)
    {
        var block = new byte[JournalLayout.Block];
        fixed (byte* header = block)
        {
            *(uint*)header = Magic;
            *(int*)(header + 8) = FormatVersion;
            _storeId.TryWriteBytes(new Span<byte>(header + 16, 16));
            *(long*)(header + 32) = sequence;
            *(long*)(header + 40) = bytes;
            *(uint*)(header + 48) = crc;
            *(uint*)(header + 4) = Crc32C.Compute(0, header + 8, HeaderUsed - 8);
        }
        _file.Write(0, block);
    }
}

/// <summary>Takes bytes, whole pages, and where they belong in the data file.</summary>
internal delegate void CopyTaker(long offset, ReadOnlySpan<byte> pages);
