using Pipeline.Storage;
using Xunit;

namespace Pipeline.Indexing.Tests;

/// <summary>Random adds, updates and deletes: the index always equals one rebuilt from the documents.</summary>
public sealed class IndexModelTests
{
    private static readonly IndexOptions Options = new() { MaxPurgeStepBytes = 64 << 10, CommitThreads = 2 };

    [Theory]
    [InlineData(1, 20, 40, 12)]
    [InlineData(2, 150, 2000, 6)]
    [InlineData(3, 900, 100_000, 3)]
    [InlineData(4, 4, 10, 20)]
    public async Task The_index_equals_a_rebuild_after_every_commit(int seed, int changes, int documents, int commits)
    {
        var random = new RandomEntries(seed);
        var model = new IndexModel();
        using var environment = StorageEnvironment.Open(new StorageOptions());
        var store = IndexStore.Open(environment, Options);
        for (var i = 0; i < commits; i++)
        {
            var batches = random.Batches(store, model, changes, documents);
            model.Progress = random.Random.NextInt64();
            await store.CommitAsync(batches, model.Progress);
            batches.ForEach(b => b.Dispose());
            IndexComparison.AssertEqual(model, store);
            for (var steps = random.Random.Next(4); steps > 0 && await store.PurgeStepAsync(); steps--)
                IndexComparison.AssertEqual(model, store);
            if (i % 3 == 2)
            {
                store.Dispose();
                store = IndexStore.Open(environment, Options);
            }
        }

        // What was deleted while a purge was under way is left for the next one.
        for (var purges = 0; purges < 2; purges++)
        {
            while (await store.PurgeStepAsync())
                IndexComparison.AssertEqual(model, store);
        }

        IndexComparison.AssertEqual(model, store);
        using (var reader = store.OpenReader())
            Assert.True(reader.Deleted is null && !store.NeedsPurge);
        store.Dispose();
    }

    [Fact]
    public async Task The_space_of_deleted_entries_comes_back()
    {
        using var environment = StorageEnvironment.Open(new StorageOptions());
        using var store = IndexStore.Open(environment, Options);
        var random = new RandomEntries(9);
        var pages = new List<long>();
        for (var round = 0; round < 8; round++)
        {
            using var batch = store.NewBatch();
            for (var i = 0; i < 600; i++)
            {
                batch.Delete(System.Text.Encoding.UTF8.GetBytes($"docs/{i}"));
                random.Entry($"docs/{i}").AddTo(batch, store);
            }

            await store.CommitAsync([batch], round);
            using (var reader = store.OpenReader())
            {
                Assert.True(
                    round > 0 == store.NeedsPurge,
                    $"round {round}: {reader.Deleted?.Count} deleted, {reader.LiveCount} live, {reader.EntryCount} entries"
                );
            }

            while (await store.PurgeStepAsync())
            {
                using var other = store.NewBatch();
                random.Entry("other").AddTo(other, store);
                await store.CommitAsync([other], round);
            }

            var figures = environment.GetStatistics();
            pages.Add(figures.PageCount - figures.FreePages);
        }

        Assert.True(pages[^1] < pages[1] * 1.5, $"pages in use after each round: {string.Join(", ", pages)}");
    }
}
