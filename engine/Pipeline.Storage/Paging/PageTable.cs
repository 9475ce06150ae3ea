using System.Runtime.CompilerServices;

namespace Pipeline.Storage;

/// <summary>
/// The multi-version page translation table: for each page number the chain of its versions in memory, newest first. Lookups take no lock;
/// the three changes (push, remove, cut) exclude each other. A node cut out of a chain stays readable to whoever already walks it, and its
/// memory is given back only when the readers of that time have ended (see <see cref="ReaderTable"/>).
/// </summary>
internal sealed unsafe class PageTable(long maxPages) : IDisposable
{
    private readonly Lock _gate = new();
    private readonly AnonymousMemory _memory = new(maxPages * sizeof(nint));

    /// <summary>The newest version whose transaction is at most the snapshot, or null: the data file's page is the one.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public PageVersion* Find(long page, long snapshot)
    {
        var version = (PageVersion*)Volatile.Read(ref Head(page));
        while (version != null && version->TransactionId > snapshot)
            version = (PageVersion*)Volatile.Read(ref *(nint*)&version->Older);
        return version;
    }

    /// <summary>Puts a version before all others of its page. Its fields and bytes must be set: readers may meet it at once.</summary>
    public void Push(PageVersion* version)
    {
        lock (_gate)
        {
            version->Older = (PageVersion*)Head(version->PageNumber);
            Volatile.Write(ref Head(version->PageNumber), (nint)version);
        }
    }

    /// <summary>Takes the newest version of its page away again: its transaction is rolled back, or it is dropped within it.</summary>
    public void Remove(PageVersion* version)
    {
        lock (_gate)
        {
            if (Head(version->PageNumber) != (nint)version)
                throw new InvalidOperationException($"Version {version->TransactionId} of page {version->PageNumber} is not its newest.");
            Volatile.Write(ref Head(version->PageNumber), (nint)version->Older);
        }
    }

    /// <summary>Cuts off all versions of transactions up to the given one; the data file holds the newest of them.</summary>
    public void Cut(long page, long upTo)
    {
        lock (_gate)
        {
            ref var link = ref Head(page);
            while (link != 0 && ((PageVersion*)link)->TransactionId > upTo)
                link = ref *(nint*)&((PageVersion*)link)->Older;
            Volatile.Write(ref link, 0);
        }
    }

    /// <summary>
    /// Takes the version right under a newer one out of the chain, where none of the open snapshots needs it, and
    /// returns it; null where there is none.
    /// </summary>
    public PageVersion* Bypass(PageVersion* newer, ReadOnlySpan<long> snapshots)
    {
        lock (_gate)
        {
            var older = newer->Older;
            if (older == null)
                return null;
            foreach (var snapshot in snapshots)
            {
                if (older->TransactionId <= snapshot && snapshot < newer->TransactionId)
                    return null;
            }
            Volatile.Write(ref *(nint*)&newer->Older, (nint)older->Older);
            return older;
        }
    }

    public void Dispose() => _memory.Dispose();

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private ref nint Head(long page) => ref *((nint*)_memory.Address + page);
}
