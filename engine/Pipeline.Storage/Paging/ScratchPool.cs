using System.Runtime.InteropServices;

namespace Pipeline.Storage;

/// <summary>
/// Native memory for page versions. Single pages come from chunks of 2 MiB, for which the system is asked for huge
/// pages, and are used again, the last returned first; a chunk that is all free goes back to the system when enough
/// others are free. Runs and marks of freed pages come from the system's allocator. Where asked, memory is wiped when
/// it comes back. Thread-safe.
/// </summary>
internal sealed unsafe class ScratchPool(long keptBytes, bool wipe = false) : IDisposable
{
    private const int PageBytes = PageVersion.HeaderBytes + PageLayout.PageSize;
    private const int ChunkBytes = 2 << 20;
    private const int PagesOfChunk = (ChunkBytes - PageVersion.HeaderBytes) / PageBytes;
    private readonly Lock _gate = new();
    private Chunk* _chunks;
    private long _freePages;
    private long _bytes;

    /// <summary>At the start of each chunk. Chunks with free pages are linked.</summary>
    private struct Chunk
    {
        public Chunk* Next;
        public Chunk* Previous;
        public PageVersion* Free;
        public int FreePages;
        public int UsedOnce;
    }

    /// <summary>Bytes in use by versions.</summary>
    public long Bytes => Volatile.Read(ref _bytes);

    /// <summary>A version whose page is not initialised.</summary>
    public PageVersion* Rent(int pageCount, PageVersionKind kind)
    {
        StepHook.At(StorageStep.VersionRent);
        var bytes = SizeOf(pageCount, kind);
        var version = bytes == PageBytes ? RentPage() : (PageVersion*)NativeMemory.AlignedAlloc((nuint)bytes, 64);
        Interlocked.Add(ref _bytes, bytes);
        *version = default;
        version->PageCount = pageCount;
        version->Kind = kind;
        return version;
    }

    /// <summary>
    /// Takes back a version that can no longer be reached. Its kind must be the one it was rented with, or Dropped.
    /// </summary>
    public void Return(PageVersion* version)
    {
        var one = (nint)version;
        Return(new ReadOnlySpan<nint>(ref one));
    }

    /// <summary>Takes back versions that can no longer be reached; zeros among them are ignored.</summary>
    public void Return(ReadOnlySpan<nint> versions)
    {
        const int versionsAtOnce = 256; // The writer waits for the lock.
        for (; versions.Length > versionsAtOnce; versions = versions.Slice(versionsAtOnce))
            ReturnSome(versions.Slice(0, versionsAtOnce));
        ReturnSome(versions);
    }

    /// <summary>Gives all chunks that are wholly free back to the system: the load that needed them is over.</summary>
    public void Trim()
    {
        lock (_gate)
        {
            Chunk* next;
            for (var chunk = _chunks; chunk != null; chunk = next)
            {
                next = chunk->Next;
                if (chunk->FreePages == PagesOfChunk)
                    Release(chunk);
            }
        }
    }

    public void Dispose()
    {
        lock (_gate)
        {
            while (_chunks != null)
                Release(_chunks);
        }
    }

    private static long SizeOf(int pageCount, PageVersionKind kind) =>
        kind == PageVersionKind.Freed
            ? PageVersion.HeaderBytes
            : PageVersion.HeaderBytes + ((long)pageCount << PageLayout.PageShift);

    private static Chunk* ChunkOf(PageVersion* version) => (Chunk*)((nint)version & -ChunkBytes);

    private PageVersion* RentPage()
    {
        lock (_gate)
        {
            if (_chunks == null)
                AddChunk();
            var chunk = _chunks;
            var version = chunk->Free;
            if (version != null)
            {
                chunk->Free = version->Older;
            }
            else
            {
                version = (PageVersion*)(
                    (byte*)chunk + PageVersion.HeaderBytes + ((long)chunk->UsedOnce++ * PageBytes)
                );
            }

            _freePages--;
            if (--chunk->FreePages == 0)
                Unlink(chunk);
            return version;
        }
    }

    private void ReturnSome(ReadOnlySpan<nint> versions)
    {
        var sum = 0L;
        lock (_gate)
        {
            foreach (var entry in versions)
            {
                var version = (PageVersion*)entry;
                if (version == null)
                    continue;
                var bytes = SizeOf(version->PageCount, version->Kind);
                sum += bytes;
                if (wipe)
                    PlainPage.Wipe(version, bytes);
                if (bytes == PageBytes)
                    ReturnPage(version);
                else
                    NativeMemory.AlignedFree(version);
            }
        }
        Interlocked.Add(ref _bytes, -sum);
    }

    private void ReturnPage(PageVersion* version)
    {
        var chunk = ChunkOf(version);
        version->Older = chunk->Free;
        chunk->Free = version;
        _freePages++;
        if (chunk->FreePages++ == 0)
            Link(chunk);
        if (chunk->FreePages == PagesOfChunk && (_freePages - PagesOfChunk) * PageBytes >= keptBytes)
            Release(chunk);
    }

    private void AddChunk()
    {
        var chunk = (Chunk*)AnonymousMemory.MapHuge(ChunkBytes);
        chunk->FreePages = PagesOfChunk;
        _freePages += PagesOfChunk;
        Link(chunk);
    }

    private void Release(Chunk* chunk)
    {
        Unlink(chunk);
        _freePages -= chunk->FreePages;
        AnonymousMemory.UnmapHuge((nint)chunk, ChunkBytes);
    }

    private void Link(Chunk* chunk)
    {
        chunk->Previous = null;
        chunk->Next = _chunks;
        if (_chunks != null)
            _chunks->Previous = chunk;
        _chunks = chunk;
    }

    private void Unlink(Chunk* chunk)
    {
        if (chunk->Previous != null)
            chunk->Previous->Next = chunk->Next;
        else
            _chunks = chunk->Next;
        if (chunk->Next != null)
            chunk->Next->Previous = chunk->Previous;
    }
}
