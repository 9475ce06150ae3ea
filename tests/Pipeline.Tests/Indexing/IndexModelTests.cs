using Pipeline.Indexing;
using Pipeline.Storage;
using Xunit;

namespace Pipeline.Tests.Indexing;

/// <summary>Random adds, updates and deletes: the index always equals one that is built anew from the documents.</summary>
public sealed class IndexModelTests
{
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
        var store = IndexStore.Open(environment);
        for (var i = 0; i < commits; i++)
        {
            var batches = random.Batches(store, model, changes, documents);
            model.Progress = random.Random.NextInt64();
            await store.CommitAsync(batches, model.Progress);
            batches.ForEach(b => b.Dispose());
            IndexComparison.AssertEqual(model, store);
            if (i % 3 == 2)
            {
                store.Dispose();
                store = IndexStore.Open(environment);
            }
        }

        IndexComparison.AssertEqual(model, store);
        store.Dispose();
    }
}
