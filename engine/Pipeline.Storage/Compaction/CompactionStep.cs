namespace Pipeline.Storage;

/// <summary>The limits and results of one write transaction of a compaction.</summary>
internal sealed class CompactionStep(WriterPages pages, long boundary, bool onlyRuns) : IPageMover
{
    private const int PagesSeenAtOnce = 4096;
    private const long BytesAtOnce = 1 << 20;
    private int _seen;

    /// <summary>
    /// The last page or run that found no place. A larger one that is not further back need not be tried.
    /// </summary>
    private (long From, int PageCount) _stuck = (-1, int.MaxValue);

    /// <summary>Pages from there on are to be moved.</summary>
    public long Boundary => boundary;

    /// <summary>Whether single pages stay: the gaps are left to runs.</summary>
    public bool OnlyRuns => onlyRuns;

    /// <summary>Pages moved.</summary>
    public long PagesMoved { get; private set; }

    /// <summary>Whether the rest is left to the next transaction.</summary>
    public bool IsSpent => _seen >= PagesSeenAtOnce || PagesMoved << PageLayout.PageShift >= BytesAtOnce;

    /// <summary>Counts a visited page.</summary>
    public void See() => _seen++;

    /// <summary>Moves a page or run that lies behind the boundary, if there is a place for it.</summary>
    public bool TryMove(long from, int pageCount, out long to)
    {
        to = from;
        if (
            from < boundary
            || (onlyRuns && pageCount == 1)
            || (pageCount >= _stuck.PageCount && (pageCount == 1 || from <= _stuck.From))
        )
        {
            return false;
        }
        // A run goes to any gap before it: often there is none below the boundary until others have moved.
        if (!pages.TryMove(from, pageCount, pageCount == 1 ? boundary : from, out to))
        {
            _stuck = (from, pageCount);
            return false;
        }
        PagesMoved += pageCount;
        return true;
    }
}
