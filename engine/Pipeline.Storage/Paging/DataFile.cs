using System.Runtime.CompilerServices;

namespace Pipeline.Storage;

/// <summary>
/// The data file, mapped with room to grow, and a record of the pages verified since opening. Reads are lock-free;
/// growth is the writer's, page writes are the flush's. See DataFile.Mapping.cs for what happens when the file outgrows
/// its mapping.
/// </summary>
internal sealed unsafe partial class DataFile : IDisposable
{
    /// <summary>The size of buffer that <see cref="WritePages"/> makes best use of.</summary>
    public const int WriteBufferBytes = 256 << 10;

    private readonly IStorageFile _file;
    private byte* _mapping;
    private readonly AnonymousMemory _verified;
    private readonly StorageOptions _options;
    private readonly bool _verify;
    private readonly StoreCipher? _cipher;
    private readonly DecryptedPageCache? _plain;
    private readonly FlushFile? _flushFile;

    public DataFile(
        IStorageFile file,
        StorageOptions options,
        bool verify,
        StoreCipher? cipher = null,
        FlushFile? flushFile = null
    )
    {
        _file = file;
        _options = options;
        _verify = verify;
        MaxPages = options.MaxDataFileBytes >> PageLayout.PageShift;
        _verified = new AnonymousMemory(BytesForBits(MaxPages), grows: true);
        PagesPerChunk = options.PagesPerChunk;
        _chunks = new AnonymousMemory(BytesForChunks(MaxPages), grows: true);
        _frozen = new AnonymousMemory(BytesForBits(MaxPages), grows: true);
        _mapped = FirstMapping(file, options);
        _mapping = (byte*)file.Map(_mapped);
        if (cipher is not null)
        {
            (_cipher, _flushFile, _plain) = (
                cipher,
                flushFile,
                new DecryptedPageCache(cipher, file.Path, MaxPages, options.Encryption!.MaxPlainBytes)
                {
                    DamageFound = page => DamageFound?.Invoke(page),
                }
            );
        }
        EnsureTables(file.Length);
    }

    /// <summary>The file's path.</summary>
    public string Path => _file.Path;

    /// <summary>The file's length in bytes.</summary>
    public long Length => _file.Length;

    /// <summary>Whether other stores must stay equal to this one.</summary>
    public bool IsReplica => _options.IsReplica;

    /// <summary>The most pages it may have.</summary>
    public long MaxPages { get; }

    /// <summary>Is told of each page that a reader finds damaged, before the reader gets its error.</summary>
    public Action<long>? DamageFound { get; set; }

    /// <summary>The page, unverified; it must lie within the file.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public byte* GetUnverified(long page) => _mapping + (page << PageLayout.PageShift);

    /// <summary>
    /// The page, verified when it is read the first time since opening. Of an encrypted file it is the decrypted page,
    /// which is valid until the caller's transaction ends; pages that cannot be shared go to the caller's private
    /// pages, which are created on demand.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public byte* Get(long page, long pageCount, ref PrivatePages? own)
    {
        if ((Volatile.Read(ref Word(page)) & (1L << (int)(page & 63))) == 0)
            return First(page, pageCount, ref own);
        return _mapping + (page << PageLayout.PageShift);
    }

    /// <summary>
    /// Verifies a page of a plain file that a transaction is about to copy, or has copied, though it was verified
    /// before. The disk may have damaged it since, and a change of a damaged page would reach every node of a cluster.
    /// A decrypted page is in memory and needs no check.
    /// </summary>
    /// <exception cref="CorruptPageException">It is damaged.</exception>
    public void VerifyAgain(long page, long pageCount)
    {
        if (!_verify || _cipher is not null)
            return;
        if (PageChecksum.Check(GetUnverified(page), page, pageCount - page) is not { } reason)
            return;
        Interlocked.And(ref Word(page), ~(1L << (int)(page & 63)));
        throw Damaged(page, reason);
    }

    /// <summary>
    /// Writes versions, which must be in the order of their page numbers; neighbours go in one write.
    /// </summary>
    public void WritePages(ReadOnlySpan<nint> versions, byte[] buffer, bool verified)
    {
        var start = 0L;
        var used = 0;
        foreach (var entry in versions)
        {
            var version = (PageVersion*)entry;
            var offset = version->PageNumber << PageLayout.PageShift;
            var bytes = (long)version->PageCount << PageLayout.PageShift;
            if (used > 0 && (offset != start + used || used + bytes > buffer.Length))
            {
                _file.Write(start, buffer.AsSpan(0, used));
                used = 0;
            }
            if (bytes > buffer.Length)
            {
                WriteRun(PageVersion.Page(version), version->PageNumber, version->PageCount);
            }
            else
            {
                if (used == 0)
                    start = offset;
                if (_cipher is null)
                    new ReadOnlySpan<byte>(PageVersion.Page(version), (int)bytes).CopyTo(buffer.AsSpan(used));
                else
                    Encrypt(version, buffer.AsSpan(used));
                used += (int)bytes;
            }
            if (verified && _cipher is null && !IsFrozen(version->PageNumber))
                SetVerified(version->PageNumber);
        }
        if (used > 0)
            _file.Write(start, buffer.AsSpan(0, used));
        _plain?.Invalidate(versions);
    }

    /// <summary>A buffer of that size.</summary>
    public static byte[] NewWriteBuffer() => GC.AllocateUninitializedArray<byte>(WriteBufferBytes, pinned: true);

    /// <summary>Writes a meta page into the slot that its sequence gives.</summary>
    public void WriteMeta(MetaPage meta)
    {
        var page = stackalloc byte[PageLayout.PageSize];
        meta.Encode(page, out var number);
        if ((_options.Faults & StorageFaults.OneMetaSlot) != 0)
            number = PutInOneSlot(page);
        _file.Write(number << PageLayout.PageShift, new ReadOnlySpan<byte>(page, PageLayout.PageSize));
    }

    private static long PutInOneSlot(byte* page)
    {
        PageLayout.Number(page) = 0;
        PageLayout.Checksum(page) = PageChecksum.Compute(page, 0, 1);
        return 0;
    }

    /// <summary>Makes all writes durable.</summary>
    public void Sync() => _file.Sync();

    public void Dispose()
    {
        _plain?.Dispose();
        _flushFile?.Dispose();
        _file.Dispose();
        _verified.Dispose();
        _chunks.Dispose();
        _frozen.Dispose();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private byte* First(long page, long pageCount, ref PrivatePages? own)
    {
        if (_plain is not null)
            return _plain.Get(GetUnverified(page), page, pageCount - page, ref own);
        var reason = !_verify ? null : PageChecksum.Check(GetUnverified(page), page, pageCount - page);
        if (reason is not null)
            throw Damaged(page, reason);
        SetVerified(page);
        return GetUnverified(page);
    }

    private CorruptPageException Damaged(long page, string reason)
    {
        DamageFound?.Invoke(page);
        return new CorruptPageException(Path, page, null, reason);
    }

    private void SetVerified(long page) => Interlocked.Or(ref Word(page), 1L << (int)(page & 63));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private ref long Word(long page) => ref *((long*)_verified.Address + (page >> 6));
}
