namespace Pipeline.Storage;

/// <summary>What precedes each page of an entry: what became of the page, its number, and of how many it is the first.</summary>
internal static unsafe class RecordHeader
{
    /// <summary>
    /// Reads a header. It is refused if it names the store's own pages, or pages that the store does not have.
    /// </summary>
    /// <param name="records">Where it is; behind it afterwards.</param>
    /// <param name="end">The end of the entry, which is not read.</param>
    /// <param name="pagesBefore">How many pages the store had before the entry: those can be freed.</param>
    /// <param name="pagesAfter">How many pages it has with the entry.</param>
    /// <param name="kind">What became of the page.</param>
    /// <param name="number">Its number.</param>
    /// <param name="pages">How many pages there are.</param>
    public static bool TryRead(
        ref byte* records,
        byte* end,
        long pagesBefore,
        long pagesAfter,
        out PageVersionKind kind,
        out long number,
        out int pages
    )
    {
        (kind, number, pages) = (PageVersionKind.Dropped, 0, 0);
        if (records >= end)
            return false;
        kind = (PageVersionKind)(*records++);
        if (
            !PageDiff.ReadVarint(ref records, end, out number)
            || !PageDiff.ReadVarint(ref records, end, out var count)
            || number < 2
            || count < 1
            || count > PageLayout.PagesPerGroup
            || kind > PageVersionKind.Freed
        )
        {
            return false;
        }

        pages = (int)count;
        // Subtracted, because the sum of a hostile number and its pages would not fit.
        return number <= (kind == PageVersionKind.Freed ? Math.Max(pagesBefore, pagesAfter) : pagesAfter) - pages;
    }
}
