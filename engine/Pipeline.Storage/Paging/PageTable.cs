using System.Runtime.CompilerServices;

namespace Pipeline.Storage;

/// <summary>
/// The multi-version page translation table: for each page number the chain of its versions in memory, newest first.
/// Lookups take no lock; the writer pushes without one; all other changes exclude each other. A node removed from a
/// chain stays readable for threads that already walk it, and its memory is freed only when the readers of that time
/// have ended (see <see cref="ReaderTable"/>).
/// </summary>
internal sealed unsafe class PageTable(long maxPages) : IDisposable
{
    private readonly Lock _gate = new();
    private readonly AnonymousMemory _memory = new(maxPages * sizeof(nint), grows: true);

    /// <summary>Makes the table usable for this many pages.</summary>
    public void Ensure(long pages) => _memory.Ensure(pages * sizeof(nint));

    /// <summary>
    /// The newest version whose transaction is at most the snapshot, or null: the data file's page is the one.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public PageVersion* Find(long page, long snapshot)
    {
        var version = (PageVersion*)Volatile.Read(ref Head(page));
        while (version != null && version->TransactionId > snapshot)
            version = (PageVersion*)Volatile.Read(ref *(nint*)&version->Older);
        return version;
    }

    /// <summary>
    /// Puts a version before all others of its page. Its fields and bytes must be set, because readers may see it at
    /// once. Only one thread may push and remove versions; a cut may run at the same time.
    /// </summary>
    public void Push(PageVersion* version)
    {
        ref var head = ref Head(version->PageNumber);
        nint older;
        do
        {
            older = Volatile.Read(ref head);
            version->Older = (PageVersion*)older;
        } while (Interlocked.CompareExchange(ref head, (nint)version, older) != older);
    }

    /// <summary>
    /// Takes the newest version of its page away again: its transaction is rolled back, or it is dropped within it.
    /// </summary>
    public void Remove(PageVersion* version)
    {
        lock (_gate)
        {
            if (Head(version->PageNumber) != (nint)version)
            {
                throw new InvalidOperationException(
                    $"Version {version->TransactionId} of page {version->PageNumber} is not its newest."
                );
            }

            Volatile.Write(ref Head(version->PageNumber), (nint)version->Older);
        }
    }

    /// <summary>
    /// For each page, cuts off all versions of transactions up to the given one, and adds them to a list if one is
    /// given; the data file holds the newest of them.
    /// </summary>
    public void Cut(List<long> pages, long upTo, List<nint>? cut = null)
    {
        const int pagesAtOnce = 256; // The writer takes the lock too, for a rollback.
        for (var i = 0; i < pages.Count; )
        {
            lock (_gate)
            {
                for (var end = Math.Min(pages.Count, i + pagesAtOnce); i < end; i++)
                    Add(Cut(pages[i], upTo), cut);
            }
        }
    }

    /// <summary>
    /// For each page, cuts off the versions older than the newest one up to the given transaction, and adds them to a
    /// list.
    /// </summary>
    public void CutBelow(List<long> pages, long upTo, List<nint> cut)
    {
        foreach (var page in pages)
        {
            lock (_gate)
            {
                var version = Find(page, upTo);
                if (version == null)
                    continue;
                Add(version->Older, cut);
                Volatile.Write(ref *(nint*)&version->Older, 0);
            }
        }
    }

    /// <summary>
    /// Unlinks the versions right under newer ones from their chains and adds them to a list. Versions that an open
    /// snapshot needs stay.
    /// </summary>
    public void Bypass(nint[] newerVersions, ReadOnlySpan<long> snapshots, List<nint> bypassed)
    {
        lock (_gate)
        {
            foreach (var entry in newerVersions)
            {
                var newer = (PageVersion*)entry;
                for (
                    var older = newer->Older;
                    older != null && !IsNeeded(older, newer, snapshots);
                    older = newer->Older
                )
                {
                    Volatile.Write(ref *(nint*)&newer->Older, (nint)older->Older);
                    bypassed.Add((nint)older);
                }
            }
        }
    }

    public void Dispose() => _memory.Dispose();

    private static bool IsNeeded(PageVersion* older, PageVersion* newer, ReadOnlySpan<long> snapshots)
    {
        foreach (var snapshot in snapshots)
        {
            if (older->TransactionId <= snapshot && snapshot < newer->TransactionId)
                return true;
        }
        return false;
    }

    private static void Add(PageVersion* version, List<nint>? cut)
    {
        for (; cut is not null && version != null; version = version->Older)
            cut.Add((nint)version);
    }

    /// <summary>Returns the newest of those that were cut off, or null; the rest hang on it.</summary>
    private PageVersion* Cut(long page, long upTo)
    {
        ref var head = ref Head(page);
        while (true)
        {
            var first = Volatile.Read(ref head);
            if (first != 0 && ((PageVersion*)first)->TransactionId <= upTo)
            {
                // Only the writer's push may come between.
                if (Interlocked.CompareExchange(ref head, 0, first) == first)
                    return (PageVersion*)first;
                continue;
            }
            var version = (PageVersion*)first;
            while (version != null && version->Older != null && version->Older->TransactionId > upTo)
                version = version->Older;
            if (version == null)
                return null;
            var older = version->Older;
            Volatile.Write(ref *(nint*)&version->Older, 0);
            return older;
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private ref nint Head(long page) => ref *((nint*)_memory.Address + page);
}
