using Xunit;

namespace Pipeline.Client.Tests;

/// <summary>The operations of a store that need no session.</summary>
public sealed class SingleOperationTests
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task An_object_is_saved_loaded_replaced_and_deleted(bool isRemote)
    {
        await using var f = await ClientFixture.OpenAsync(isRemote, new() { UseOptimisticConcurrency = true });
        var cup = new Cup { Colour = "red" };
        var id = await f.Store.SaveAsync(cup);
        Assert.Equal((id, "cups/1-A"), (cup.Id, id));

        var loaded = (await f.Store.LoadAsync<Cup>(id))!;
        Assert.NotSame(cup, loaded);
        Assert.Equal(("red", id), (loaded.Colour, loaded.Id));

        // Replaces the document, although the store's sessions check versions.
        Assert.Equal(id, await f.Store.SaveAsync(new Cup { Id = id, Colour = "blue" }));
        Assert.Equal("blue", (await f.Store.LoadAsync<Cup>(id))!.Colour);

        await f.Store.DeleteAsync(id);
        Assert.Null(await f.Store.LoadAsync<Cup>(id));
        await f.Store.DeleteAsync(id);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Many_are_inserted_and_asked_for(bool isRemote)
    {
        await using var f = await ClientFixture.OpenAsync(isRemote);
        Assert.Equal(100, await f.Store.BulkInsertAsync(Cups(0, 100)));
        Assert.Equal(50, await f.Store.BulkInsertAsync(Cups(100, 50).ToAsyncEnumerable()));
        Assert.Equal(150, await f.Store.Query<Cup>().CountAsync());
        var large = await f.Store.Query<Cup>().Where(c => c.Size > 140).OrderByDescending(c => c.Size).ToListAsync();
        Assert.Equal([149, 148, 147, 146, 145, 144, 143, 142, 141], large.Select(c => c.Size));
        Assert.Equal(
            [10],
            await f.Store.Query<Cup>().Where(c => c.Colour == "colour 10").Select(c => c.Size).ToListAsync()
        );
    }

    [Fact]
    public async Task A_failed_object_ends_a_bulk_insert_and_those_before_stay()
    {
        await using var f = await ClientFixture.OpenAsync(isRemote: false);
        await Assert.ThrowsAsync<InvalidDataException>(() => f.Store.BulkInsertAsync(Broken()));
        Assert.Equal(10, await f.Store.Query<Cup>().CountAsync());

        static IEnumerable<Cup> Broken()
        {
            foreach (var cup in Cups(0, 10))
                yield return cup;
            throw new InvalidDataException("the source failed");
        }
    }

    private static IEnumerable<Cup> Cups(int first, int count) =>
        Enumerable.Range(first, count).Select(n => new Cup { Colour = $"colour {n}", Size = n });

    private sealed class Cup
    {
        public string? Id { get; set; }

        public string? Colour { get; set; }

        public int Size { get; set; }
    }
}
