using Xunit;

namespace Pipeline.Storage.Tests.Paging;

public sealed class AllocationTests
{
    private static unsafe long Allocate(WriteTransaction t, int count)
    {
        var page = t.Pages.AllocateRun(count, count == 1 ? PageType.Leaf : PageType.Overflow, out var number);
        if (count > 1)
            PageLayout.Overflow(page) = (count * PageLayout.PageSize) - PageLayout.HeaderSize;
        Assert.True(
            new ReadOnlySpan<byte>(
                page + PageLayout.HeaderSize,
                (count * PageLayout.PageSize) - PageLayout.HeaderSize
            ).IndexOfAnyExcept((byte)0) < 0
        );
        return number;
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public async Task Runs_never_overlap_and_the_count_of_free_pages_is_exact(int seed)
    {
        using var environment = StorageEnvironment.Open(
            new StorageOptions { MaxDataFileBytes = 4L << 30, MaxTransactionBytes = 3L << 30 }
        );
        var random = new Random(seed);
        var live = new List<(long Page, int Count)>();
        for (var round = 0; round < 60; round++)
        {
            var plan = new List<(long Page, int Count)>(live);
            await environment.WriteAsync(t =>
            {
                for (var i = random.Next(30); i > 0; i--)
                {
                    if (plan.Count > 0 && random.Next(5) < 2)
                    {
                        var index = random.Next(plan.Count);
                        t.Pages.FreeRun(plan[index].Page, plan[index].Count);
                        plan.RemoveAt(index);
                        continue;
                    }
                    var count = random.Next(3) == 0 ? random.Next(1, 300) : 1;
                    plan.Add((Allocate(t, count), count));
                }
            });
            live = plan;
            if (random.Next(4) == 0)
                environment.Flush();
            var owned = new HashSet<long> { 0, 1, 2 };
            foreach (var (page, count) in live)
            {
                for (var i = 0; i < count; i++)
                    Assert.True(owned.Add(page + i), $"seed {seed}, round {round}: page {page + i} belongs to two");
            }
            var statistics = environment.GetStatistics();
            Assert.Equal(statistics.PageCount - owned.Count, statistics.FreePages);
        }
    }

    [Fact]
    public async Task A_store_goes_on_into_further_groups()
    {
        using var environment = StorageEnvironment.Open(
            new StorageOptions { MaxDataFileBytes = 4L << 30, MaxTransactionBytes = 3L << 30 }
        );
        var pages = new List<long>();
        // Runs of 20,000 pages: three fit into a group of 65,024, the fourth begins the next one behind its allocation
        // page.
        for (var i = 0; i < 4; i++)
        {
            await environment.WriteAsync(t => pages.Add(Allocate(t, 20000)));
            environment.Flush();
        }
        Assert.Equal([3L, 20003, 40003, PageLayout.PagesPerGroup + 3], pages);
        await environment.WriteAsync(t =>
        {
            Assert.Equal(60003, Allocate(t, 1));
            t.Pages.FreeRun(pages[1], 20000);
            t.Pages.FreeRun(pages[3], 20000);
        });
        var statistics = environment.GetStatistics();
        Assert.Equal(statistics.PageCount - 3 - 1 - 1 - 40000, statistics.FreePages);
        await environment.WriteAsync(t =>
            Assert.Throws<TransactionTooLargeException>(() =>
            {
                Allocate(t, 65022);
            })
        );
    }
}
