using System.Runtime.InteropServices;

namespace Pipeline.Storage;

/// <summary>
/// Native memory for page versions. Single pages are kept in a bounded list for reuse, so that a steady load allocates nothing from the
/// system; runs and marks of freed pages go to the system's allocator. Thread-safe.
/// </summary>
internal sealed unsafe class ScratchPool(long keptBytes) : IDisposable
{
    private const int PageBytes = PageVersion.HeaderBytes + PageLayout.PageSize;
    private readonly Lock _gate = new();
    private PageVersion* _free;
    private long _freeCount;
    private long _bytes;

    /// <summary>Bytes in use by versions.</summary>
    public long Bytes => Volatile.Read(ref _bytes);

    /// <summary>A version whose page is not initialised.</summary>
    public PageVersion* Rent(int pageCount, PageVersionKind kind)
    {
        PageVersion* version = null;
        var bytes = SizeOf(pageCount, kind);
        if (bytes == PageBytes)
        {
            lock (_gate)
            {
                version = _free;
                if (version != null)
                {
                    _free = version->Older;
                    _freeCount--;
                }
            }
        }
        if (version == null)
            version = (PageVersion*)NativeMemory.AlignedAlloc((nuint)bytes, 64);
        Interlocked.Add(ref _bytes, bytes);
        *version = default;
        version->PageCount = pageCount;
        version->Kind = kind;
        return version;
    }

    /// <summary>Takes back a version that nobody can reach any more. Its kind must be the one it was rented with, or Dropped.</summary>
    public void Return(PageVersion* version)
    {
        var bytes = SizeOf(version->PageCount, version->Kind);
        Interlocked.Add(ref _bytes, -bytes);
        if (bytes == PageBytes)
        {
            lock (_gate)
            {
                if (_freeCount * PageBytes < keptBytes)
                {
                    version->Older = _free;
                    _free = version;
                    _freeCount++;
                    return;
                }
            }
        }
        NativeMemory.AlignedFree(version);
    }

    public void Dispose()
    {
        lock (_gate)
        {
            while (_free != null)
            {
                var version = _free;
                _free = version->Older;
                NativeMemory.AlignedFree(version);
            }
            _freeCount = 0;
        }
    }

    private static long SizeOf(int pageCount, PageVersionKind kind) =>
        kind == PageVersionKind.Freed ? PageVersion.HeaderBytes : PageVersion.HeaderBytes + ((long)pageCount << PageLayout.PageShift);
}
