namespace Pipeline.Storage;

/// <summary>The checksum of a page or run: CRC-32C seeded with the page number, over all bytes behind the checksum itself.</summary>
internal static unsafe class PageChecksum
{
    /// <summary>Computes it; the header's number is not trusted for the seed.</summary>
    public static uint Compute(byte* page, long pageNumber, int pageCount) =>
        Crc32C.Compute(Crc32C.OfNumber(pageNumber), page + PageLayout.TypeOffset, ((long)pageCount << PageLayout.PageShift) - PageLayout.TypeOffset);

    /// <summary>
    /// What is wrong with a page that should have this number, or null. <paramref name="availablePages"/> is how many pages may be read from there.
    /// </summary>
    public static string? Check(byte* page, long pageNumber, long availablePages)
    {
        var type = PageLayout.Type(page);
        var pages = 1L;
        if (type == PageType.Overflow)
        {
            pages = PageLayout.PagesForOverflow(PageLayout.Overflow(page));
            if (PageLayout.Overflow(page) < 0 || pages > availablePages)
                return $"its run of {pages} pages goes beyond the end of the store";
        }
        if (PageLayout.Checksum(page) != Compute(page, pageNumber, (int)pages))
            return $"its checksum does not match (type {(byte)type}, number {PageLayout.Number(page)}, transaction {PageLayout.Transaction(page)})";
        if (PageLayout.Number(page) != pageNumber)
            return $"it is page {PageLayout.Number(page)}, misplaced";
        return null;
    }
}
