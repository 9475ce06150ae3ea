using Xunit;

namespace Pipeline.Client.Tests.Advanced;

/// <summary>Values that are set only if nobody changed them, in the process and over HTTP.</summary>
public sealed class CompareExchangeTests
{
    [Theory]
    [MemberData(nameof(ClientFixture.Ways), MemberType = typeof(ClientFixture))]
    public async Task A_value_is_set_replaced_and_deleted_with_its_index(bool isRemote)
    {
        await using var f = await ClientFixture.OpenAsync(isRemote);
        await using var session = f.Store.OpenSession();
        var values = session.Advanced.CompareExchange;
        Assert.Null(await values.GetAsync<Address>("places/ø&1"));
        values.Put("places/ø&1", new Address("Oslo", null));
        values.Put("places/2", new Address("Bergen", "Bryggen"));
        values.Put("counters/1", 3);
        Assert.True(session.Advanced.HasChanges);
        await session.SaveChangesAsync();
        var first = (await values.GetAsync<Address>("PLACES/Ø&1"))!;
        Assert.Equal(("places/ø&1", new Address("Oslo", null)), (first.Key, first.Value));
        Assert.Equal(3, (await values.GetAsync<int>("counters/1"))!.Value);
        Assert.Equal(["Bergen", "Oslo"], (await values.ListAsync<Address>("places/")).Select(v => v.Value.City));
        Assert.Equal("Oslo", Assert.Single(await values.ListAsync<Address>("places/", 1, 5)).Value.City);
        values.Put(first.Key, new Address("Hamar", null), first.Index);
        await session.SaveChangesAsync();
        values.Delete(first.Key, first.Index);
        await Assert.ThrowsAsync<ConcurrencyException>(() => session.SaveChangesAsync());
        session.Advanced.Clear();
        var second = (await values.GetAsync<Address>(first.Key))!;
        Assert.Equal("Hamar", second.Value.City);
        values.Delete(second.Key, second.Index);
        await session.SaveChangesAsync();
        Assert.Null(await values.GetAsync<Address>(first.Key));
    }

    [Theory]
    [MemberData(nameof(ClientFixture.Ways), MemberType = typeof(ClientFixture))]
    public async Task A_key_that_is_taken_fails_the_whole_save(bool isRemote)
    {
        await using var f = await ClientFixture.OpenAsync(isRemote);
        await f.StoreOrdersAsync(1);
        var saves = Enumerable
            .Range(1, 8)
            .Select(async n =>
            {
                await using var session = f.Store.OpenSession();
                session.Store(new Company($"companies/{n}", "Tea & Co"));
                session.Advanced.Increment("orders/0", (Order o) => o.Count, 1);
                session.Advanced.CompareExchange.Put("names/tea & co", $"companies/{n}");
                try
                {
                    await session.SaveChangesAsync();
                    return $"companies/{n}";
                }
                catch (ConcurrencyException)
                {
                    return null;
                }
            });
        var winner = Assert.Single(await Task.WhenAll(saves), id => id is not null);
        await using var reader = f.Store.OpenSession();
        Assert.Equal(winner, (await reader.Advanced.CompareExchange.GetAsync<string>("names/tea & co"))!.Value);
        Assert.Equal(winner, Assert.Single(await reader.Query<Company>().ToListAsync()).Id);
        Assert.Equal(1, (await reader.LoadAsync<Order>("orders/0"))!.Count);
    }
}
