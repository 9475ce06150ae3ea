using Xunit;

namespace Pipeline.Storage.Tests.Paging;

public sealed unsafe class ScratchPoolTests
{
    private const long VersionBytes = PageVersion.HeaderBytes + PageLayout.PageSize;

    [Fact]
    public void A_version_ends_where_its_page_begins() => Assert.Equal(PageVersion.HeaderBytes, sizeof(PageVersion));

    [Fact]
    public void What_was_returned_last_is_rented_first_and_bytes_are_counted()
    {
        using var pool = new ScratchPool(1 << 20);
        var first = pool.Rent(1, PageVersionKind.New);
        var second = pool.Rent(1, PageVersionKind.Changed);
        var mark = pool.Rent(5, PageVersionKind.Freed);
        Assert.Equal((2 * VersionBytes) + PageVersion.HeaderBytes, pool.Bytes);
        pool.Return(first);
        var again = pool.Rent(1, PageVersionKind.Changed);
        Assert.Equal((nint)first, (nint)again);
        Assert.Equal(PageVersionKind.Changed, again->Kind);
        pool.Return([(nint)second, 0, (nint)again, (nint)mark]);
        Assert.Equal(0, pool.Bytes);
    }

    [Fact]
    public void Versions_of_many_chunks_do_not_overlap_and_all_of_them_can_be_given_back()
    {
        using var pool = new ScratchPool(keptBytes: 0);
        var versions = new List<nint>();
        for (var round = 0; round < 3; round++)
        {
            for (var i = 0; i < 1000; i++)
            {
                var version = pool.Rent(i % 100 == 0 ? 3 : 1, PageVersionKind.New);
                new Span<byte>(PageVersion.Page(version), version->PageCount << PageLayout.PageShift).Fill((byte)i);
                version->PageNumber = i;
                versions.Add((nint)version);
            }

            foreach (var entry in versions)
            {
                var version = (PageVersion*)entry;
                Assert.Equal(
                    -1,
                    new Span<byte>(
                        PageVersion.Page(version),
                        version->PageCount << PageLayout.PageShift
                    ).IndexOfAnyExcept((byte)version->PageNumber)
                );
            }

            pool.Return([.. versions]);
            versions.Clear();
            Assert.Equal(0, pool.Bytes);
        }

        pool.Trim();
        Assert.NotEqual(0, (nint)pool.Rent(1, PageVersionKind.New));
    }
}
