using Xunit;

namespace Pipeline.Storage.Tests.Transactions;

/// <summary>Headers of an entry's records, as a hostile log could give them.</summary>
public sealed unsafe class RecordHeaderTests
{
    private const long Before = 100;
    private const long After = 50;

    [Theory]
    [InlineData(PageVersionKind.Changed, 2, 1)]
    [InlineData(PageVersionKind.New, 40, 10)]
    [InlineData(PageVersionKind.Freed, 99, 1)]
    public void A_header_within_the_store_is_read(object kind, long number, long pages)
    {
        Assert.True(TryRead((PageVersionKind)kind, number, pages, out var read));
        Assert.Equal(((PageVersionKind)kind, number, (int)pages), read);
    }

    [Theory]
    [InlineData(PageVersionKind.Changed, 1, 1)]
    [InlineData(PageVersionKind.Changed, 2, 0)]
    [InlineData(PageVersionKind.Changed, 50, 1)]
    [InlineData(PageVersionKind.New, 41, 10)]
    [InlineData(PageVersionKind.Freed, 100, 1)]
    [InlineData(PageVersionKind.Dropped, 2, 1)]
    [InlineData((PageVersionKind)200, 2, 1)]
    [InlineData(PageVersionKind.Changed, 2, long.MaxValue)]
    [InlineData(PageVersionKind.Changed, long.MaxValue, 1)]
    [InlineData(PageVersionKind.Freed, long.MaxValue - 3, 8)]
    public void A_header_that_names_other_pages_is_refused(object kind, long number, long pages) =>
        Assert.False(TryRead((PageVersionKind)kind, number, pages, out _));

    [Fact]
    public void A_header_that_is_cut_is_refused()
    {
        var bytes = stackalloc byte[] { (byte)PageVersionKind.New, 130, 1, 1 };
        for (var length = 0; length < 4; length++)
        {
            var at = bytes;
            Assert.False(RecordHeader.TryRead(ref at, bytes + length, 1_000, 1_000, out _, out _, out _));
            Assert.True(at <= bytes + length);
        }
    }

    private static bool TryRead(
        PageVersionKind kind,
        long number,
        long pages,
        out (PageVersionKind Kind, long Number, int Pages) read
    )
    {
        var bytes = stackalloc byte[32];
        bytes[0] = (byte)kind;
        var end = PageDiff.WriteVarint(PageDiff.WriteVarint(bytes + 1, number), pages);
        var found = RecordHeader.TryRead(
            ref bytes,
            end,
            Before,
            After,
            out var readKind,
            out var readNumber,
            out var readPages
        );
        read = (readKind, readNumber, readPages);
        return found;
    }
}
