using Xunit;

namespace Pipeline.Storage.Tests.Paging;

public sealed unsafe class PageChecksumTests
{
    [Fact]
    public void A_checksum_brought_forward_is_the_one_computed_anew()
    {
        const int seed = 20261121;
        var random = new Random(seed);
        using var pool = new ScratchPool(0);
        var before = stackalloc byte[PageLayout.PageSize];
        var entry = stackalloc byte[2 * PageLayout.PageSize];
        var replayed = stackalloc byte[PageLayout.PageSize];
        for (var round = 0; round < 2000; round++)
        {
            var number = random.NextInt64(1L << 40);
            random.NextBytes(new Span<byte>(before, PageLayout.PageSize));
            PageLayout.Checksum(before) = PageChecksum.Compute(before, number, 1);
            var version = pool.Rent(1, PageVersionKind.Changed);
            var after = PageVersion.Page(version);
            new Span<byte>(before, PageLayout.PageSize).CopyTo(new Span<byte>(after, PageLayout.PageSize));
            PageVersion.Mark(after, 0, PageLayout.HeaderSize);
            PageLayout.Transaction(after) = round;
            if (round % 50 == 1)
                PageVersion.MarkAll(after);
            if (round % 50 == 2)
            {
                random.NextBytes(new Span<byte>(after + 4, PageLayout.PageSize - 4));
                PageVersion.Mark(after, 0, PageLayout.PageSize);
            }

            for (var n = random.Next(12); n > 0; n--)
            {
                var offset = random.Next(4, PageLayout.PageSize);
                var count = random.Next(1, Math.Min(random.Next(2) == 0 ? 20 : 2000, PageLayout.PageSize - offset) + 1);
                PageVersion.Mark(after, offset, count);
                random.NextBytes(new Span<byte>(after + offset, count));
            }

            var sum = PageChecksum.Update(before, after, number, version->DirtyLines);
            Assert.True(sum == PageChecksum.Compute(after, number, 1), $"seed {seed}, round {round}");
            PageLayout.Checksum(after) = sum;
            var end = PageDiff.Write(before, after, version->DirtyLines, entry);
            new Span<byte>(before, PageLayout.PageSize).CopyTo(new Span<byte>(replayed, PageLayout.PageSize));
            Assert.Equal((nint)end, (nint)PageDiff.Apply(entry, end, replayed, PageLayout.PageSize));
            Assert.True(
                new Span<byte>(after, PageLayout.PageSize).SequenceEqual(new Span<byte>(replayed, PageLayout.PageSize)),
                $"seed {seed}, round {round}"
            );
            pool.Return(version);
        }
    }

    [Fact]
    public void A_flaw_of_the_page_before_is_still_found()
    {
        using var pool = new ScratchPool(0);
        var before = stackalloc byte[PageLayout.PageSize];
        new Span<byte>(before, PageLayout.PageSize).Clear();
        PageLayout.Number(before) = 7;
        PageLayout.Checksum(before) = PageChecksum.Compute(before, 7, 1);
        before[5000] ^= 1;
        var version = pool.Rent(1, PageVersionKind.Changed);
        var after = PageVersion.Page(version);
        new Span<byte>(before, PageLayout.PageSize).CopyTo(new Span<byte>(after, PageLayout.PageSize));
        PageVersion.Mark(after, 100, 8);
        after[100] = 1;
        PageLayout.Checksum(after) = PageChecksum.Update(before, after, 7, version->DirtyLines);
        Assert.Contains("checksum", PageChecksum.Check(after, 7, 1), StringComparison.Ordinal);
        pool.Return(version);
    }
}
