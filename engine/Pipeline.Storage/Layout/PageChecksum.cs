using System.Numerics;

namespace Pipeline.Storage;

/// <summary>
/// The checksum of a page or run: CRC-32C seeded with the page number, over all bytes behind the checksum itself.
/// </summary>
internal static unsafe class PageChecksum
{
    private const int MaxLinesToUpdate = 64;

    /// <summary>Computes it; the header's number is not trusted for the seed.</summary>
    public static uint Compute(byte* page, long pageNumber, int pageCount) =>
        Crc32C.Compute(
            Crc32C.OfNumber(pageNumber),
            page + PageLayout.TypeOffset,
            ((long)pageCount << PageLayout.PageShift) - PageLayout.TypeOffset
        );

    /// <summary>
    /// Computes the checksum of a changed page from its former checksum. A CRC is linear, so the checksum of the
    /// changed bits alone, in the lines that may differ, is added. A wrong checksum of the former page stays
    /// detectable.
    /// </summary>
    /// <param name="before">The former page, with its checksum.</param>
    /// <param name="after">The page, complete except for its checksum.</param>
    /// <param name="pageNumber">Its number.</param>
    /// <param name="dirtyLines">
    /// The lines that may differ, as <see cref="PageVersion.DirtyLines"/>; the first one always counts.
    /// </param>
    public static uint Update(byte* before, byte* after, long pageNumber, ulong* dirtyLines)
    {
        var lines = BitOperations.PopCount(dirtyLines[0]) + BitOperations.PopCount(dirtyLines[1]);
        if (lines > MaxLinesToUpdate)
            return Compute(after, pageNumber, 1);
        // The checksum's own four bytes come before all that it covers: zeros there change nothing.
        var word = (*(ulong*)before ^ *(ulong*)after) & ~0xFFFFFFFFUL;
        var sum = Crc32C.Continue(
            Crc32C.Continue(0, word),
            before + sizeof(ulong),
            after + sizeof(ulong),
            PageVersion.LineBytes - sizeof(ulong)
        );
        var done = 1;
        for (var half = 0; half < 2; half++)
        {
            for (var bits = dirtyLines[half] & ~(half == 0 ? 1UL : 0); bits != 0; bits &= bits - 1)
            {
                var line = (half * 64) + BitOperations.TrailingZeroCount(bits);
                var offset = line * PageVersion.LineBytes;
                sum = Crc32C.Continue(
                    Crc32C.Skip(sum, line - done),
                    before + offset,
                    after + offset,
                    PageVersion.LineBytes
                );
                done = line + 1;
            }
        }
        return PageLayout.Checksum(before) ^ Crc32C.Skip(sum, (PageLayout.PageSize / PageVersion.LineBytes) - done);
    }

    /// <summary>
    /// What is wrong with a page that should have this number, or null. <paramref name="availablePages"/> is how many
    /// pages may be read from there.
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
