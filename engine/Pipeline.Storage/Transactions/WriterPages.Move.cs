using System.Runtime.InteropServices;

namespace Pipeline.Storage;

internal sealed unsafe partial class WriterPages
{
    /// <summary>
    /// Moves a page or run to the first free place for it below a page, if there is one. The caller makes its parent
    /// refer to the new place. A run of more than half of what a transaction may change stays.
    /// </summary>
    public bool TryMove(long from, int pageCount, long below, out long to)
    {
        to = -1;
        var bytes = (long)pageCount << PageLayout.PageShift;
        if (_freePages < pageCount || bytes > _limit / 2)
            return false;
        to = pageCount == 1 ? FindFreePage(below) : FindLowestRun(pageCount, below);
        if (to < 0)
            return false;
        _changes++;
        var source = GetPage(from);
        Reserve(to, pageCount);
        _freePages -= pageCount;
        Mark(to, pageCount, used: true);
        var page = NewVersion(to, pageCount, PageLayout.Type(source));
        NativeMemory.Copy(source, page, (nuint)bytes);
        PageLayout.Number(page) = to;
        FreeRun(from, pageCount);
        return true;
    }

    /// <summary>
    /// Lowers the page count to behind the highest page in use, where the last pages are free; an allocation page with
    /// nothing behind it goes too. The flush cuts the file when no reader needs the cut pages. Returns the page count.
    /// </summary>
    public long CutTail()
    {
        var (count, free) = (_pageCount, _freePages);
        while (true)
        {
            var first = (count - 1) / Group * Group;
            var map = first + PageLayout.AllocationPageInGroup;
            var last = Bitmap.FindLastOne(this, first, count);
            if (last > map || first == 0 || Bitmap.FindLastOne(this, first, map) >= 0)
            {
                free -= count - last - 1;
                count = last + 1;
                break;
            }
            free -= count - first - 1;
            count = first;
            Discard(map, 1);
        }
        if (count == _pageCount)
            return count;
        _changes++;
        (_pageCount, _freePages) = (count, free);
        return count;
    }

    private long FindLowestRun(int count, long below)
    {
        for (var from = 0L; from < below; from += Group)
        {
            var found = Bitmap.FindZeros(this, from, Math.Min(below, from + Group), count);
            if (found >= 0)
                return found;
        }
        return -1;
    }
}
