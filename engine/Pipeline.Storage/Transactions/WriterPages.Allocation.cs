using System.Runtime.InteropServices;

namespace Pipeline.Storage;

internal sealed unsafe partial class WriterPages
{
    private const long Group = PageLayout.PagesPerGroup;

    public override byte* AllocateRun(int pageCount, PageType type, out long pageNumber)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(pageCount);
        const long most = Group - PageLayout.AllocationPageInGroup - 1;
        if (pageCount > most)
            throw TooLarge((long)pageCount << PageLayout.PageShift, most << PageLayout.PageShift);
        if (_bytes + ((long)pageCount << PageLayout.PageShift) > _limit)
            throw TooLarge(_bytes + ((long)pageCount << PageLayout.PageShift), _limit);
        _changes++;
        pageNumber = pageCount == 1 ? FindFreePage(_pageCount) : FindFreeRun(pageCount);
        if (pageNumber < 0)
        {
            pageNumber = Extend(pageCount);
        }
        else
        {
            Reserve(pageNumber, pageCount);
            _freePages -= pageCount;
        }
        Mark(pageNumber, pageCount, used: true);
        return NewVersion(pageNumber, pageCount, type);
    }

    public override void FreeRun(long pageNumber, int pageCount)
    {
        if (pageNumber < 2 || pageCount < 1 || pageNumber + pageCount > _pageCount)
            throw OutOfRange(pageNumber);
        _changes++;
        Mark(pageNumber, pageCount, used: false);
        _freePages += pageCount;
        if (pageCount == 1)
            _hints.Single = Math.Min(_hints.Single, pageNumber);
        else
            _hints.Run = Math.Min(_hints.Run, pageNumber);
        Discard(pageNumber, pageCount);
    }

    /// <summary>Frees a page or run from this transaction on, after its allocation page was updated.</summary>
    private void Discard(long pageNumber, int pageCount)
    {
        var version = _table.Find(pageNumber, _transaction);
        if (version != null && version->TransactionId == _transaction)
        {
            // The version was made in this transaction: it vanishes, and the version before it is freed.
            _table.Remove(version);
            var wasNew = version->Kind == PageVersionKind.New;
            version->Kind = PageVersionKind.Dropped;
            _dropped++;
            _bytes -= (long)version->PageCount << PageLayout.PageShift;
            if (wasNew)
                return;
        }
        var mark = Rent(pageNumber, pageCount, PageVersionKind.Freed);
        _table.Push(mark);
    }

    private byte* NewVersion(long pageNumber, int pageCount, PageType type)
    {
        var version = Rent(pageNumber, pageCount, PageVersionKind.New);
        version->NewSince = _transaction;
        var page = PageVersion.Page(version);
        NativeMemory.Clear(page, (nuint)pageCount << PageLayout.PageShift);
        PageLayout.Type(page) = type;
        PageLayout.Number(page) = pageNumber;
        PageLayout.Transaction(page) = _transaction;
        _table.Push(version);
        return page;
    }

    /// <summary>The lowest free page below one, or -1.</summary>
    private long FindFreePage(long below)
    {
        if (_freePages == 0)
            return -1;
        var from = Math.Min(_hints.Single, below);
        var found = Bitmap.FindZero(this, from, below);
        if (found < 0 && from > 0)
            found = Bitmap.FindZero(this, 0, from);
        _hints.Single = found < 0 ? 0 : found + 1;
        return found;
    }

    /// <summary>
    /// A run of free pages below the highest used one, or -1. It looks only where free pages are many and at no more
    /// than one group a call, so that a fragmented store costs space rather than time.
    /// </summary>
    private long FindFreeRun(int count)
    {
        if (_freePages < count * 2L)
            return -1;
        if (_hints.Run >= _pageCount)
            _hints.Run = 0;
        var from = _hints.Run;
        var to = Math.Min(_pageCount, ((from / Group) + 1) * Group);
        var found = Bitmap.FindZeros(this, from, to, count);
        _hints.Run = found < 0 ? to : found + count;
        return found;
    }

    /// <summary>
    /// Takes pages that were never used. A run lies within one group; if it does not fit, the rest of the group stays
    /// free and the next group begins, with its allocation page.
    /// </summary>
    private long Extend(int count)
    {
        var start = _pageCount;
        var group = start / Group;
        if (start + count > (group + 1) * Group)
            start = ++group * Group;
        var map = (group * Group) + PageLayout.AllocationPageInGroup;
        if (start <= map)
        {
            CreateMap(map);
            start = map + 1;
        }
        Reserve(start, count);
        _freePages += start - _pageCount;
        _pageCount = start + count;
        return start;
    }

    private void Reserve(long pageNumber, int pageCount)
    {
        try
        {
            _data.Reserve(pageNumber, pageCount, _transaction);
        }
        catch (Exception e) when (NoteCause(e))
        {
            throw;
        }
    }

    private void CreateMap(long map)
    {
        Reserve(map, 1);
        _freePages += map - _pageCount;
        _pageCount = map + 1;
        NewVersion(map, 1, PageType.Allocation);
        Mark(map, 1, used: true);
    }

    private void Mark(long pageNumber, int pageCount, bool used)
    {
        while (pageCount > 0)
        {
            var group = pageNumber / Group;
            var first = (int)(pageNumber - (group * Group));
            var n = (int)Math.Min(pageCount, Group - first);
            var map = GetWritablePage((group * Group) + PageLayout.AllocationPageInGroup);
            if (PageLayout.Type(map) != PageType.Allocation)
                throw Corrupt((group * Group) + PageLayout.AllocationPageInGroup, null, "it is not an allocation page");
            if (!Bitmap.Set(map + PageLayout.HeaderSize, first, n, used))
            {
                throw Corrupt(
                    pageNumber,
                    null,
                    used ? "a page to be allocated is in use" : "a page to be freed is already free"
                );
            }

            pageNumber += n;
            pageCount -= n;
        }
    }
}
