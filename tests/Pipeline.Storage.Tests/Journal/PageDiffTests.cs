using Xunit;

namespace Pipeline.Storage.Tests.Journal;

public sealed unsafe class PageDiffTests
{
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public void Ranges_applied_to_the_old_page_give_the_new_one_even_where_some_were_applied_before(int seed)
    {
        var random = new Random(seed);
        var output = new byte[PageDiff.MaxSize(8192)];
        for (var round = 0; round < 300; round++)
        {
            var old = new byte[8192];
            random.NextBytes(old);
            var now = (byte[])old.Clone();
            for (var change = random.Next(40); change > 0; change--)
            {
                var at = random.Next(now.Length);
                random.NextBytes(now.AsSpan(at, random.Next(Math.Min(round < 5 ? 8192 : 90, now.Length - at) + 1)));
            }
            if (round % 50 == 0)
                random.NextBytes(now);
            fixed (
                byte* before = old,
                    after = now,
                    ranges = output
            )
            {
                var end = PageDiff.Write(round % 7 == 0 ? null : before, after, 8192, ranges);
                Assert.True(end - ranges <= output.Length, $"seed {seed}, round {round}");
                // A page torn between old and new must come out whole too.
                var torn = round % 7 == 0 ? new byte[8192] : (byte[])old.Clone();
                for (var sector = 0; sector < 16; sector++)
                {
                    if (random.Next(2) == 0)
                        now.AsSpan(sector * 512, 512).CopyTo(torn.AsSpan(sector * 512));
                }
                fixed (byte* page = torn)
                    Assert.True(PageDiff.Apply(ranges, end, page, 8192) == end, $"seed {seed}, round {round}");
                Assert.True(torn.AsSpan().SequenceEqual(now), $"seed {seed}, round {round}");
            }
        }
    }

    [Fact]
    public void Ranges_that_leave_the_page_or_end_early_are_refused()
    {
        byte[][] bad =
        [
            [0xFF],
            [0, 5, 1, 2],
            [0x80, 0x41, 1, 0],
            [0xFF, 0x3F, 9, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0],
            [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1],
        ];
        foreach (var ranges in bad)
        {
            var page = new byte[8192];
            fixed (
                byte* input = ranges,
                    target = page
            )
            {
                Assert.True(
                    PageDiff.Apply(input, input + ranges.Length, target, 8192) == null,
                    Convert.ToHexString(ranges)
                );
            }
        }
    }
}
