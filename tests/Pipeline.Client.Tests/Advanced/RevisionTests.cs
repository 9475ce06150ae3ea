using Pipeline.Database;
using Pipeline.Documents;
using Pipeline.Server;
using Pipeline.Server.Hosting;
using Pipeline.Server.Settings;
using Pipeline.Subscriptions;
using Pipeline.TestKit.Time;
using Xunit;

namespace Pipeline.Client.Tests.Advanced;

/// <summary>Former versions as objects, in the process and over HTTP.</summary>
public sealed class RevisionTests
{
    [Theory]
    [MemberData(nameof(ClientFixture.Ways), MemberType = typeof(ClientFixture))]
    public async Task Versions_are_listed_and_loaded(bool isRemote)
    {
        await using var f = await ClientFixture.OpenAsync(isRemote);
        await f.Database.Revisions.ConfigureAsync(
            new RevisionConfiguration { Collections = new Dictionary<string, RevisionPolicy> { ["Orders"] = new() } }
        );
        await using var session = f.Store.OpenSession();
        var order = new Order { Id = "orders/1" };
        session.Store(order);
        session.Store(new Company("companies/1", "Tea & Co"));
        var vectors = new List<string>();
        for (order.Count = 1; order.Count <= 4; order.Count++)
        {
            await session.SaveChangesAsync();
            vectors.Insert(0, session.Advanced.GetChangeVector(order)!);
        }

        var revisions = session.Advanced.Revisions;
        var all = await revisions.ListAsync<Order>("orders/1");
        Assert.Equal([4, 3, 2, 1], all.Select(r => r.Document!.Count));
        Assert.Equal(vectors, all.Select(r => r.ChangeVector));
        Assert.All(all, r => Assert.Equal(("orders/1", "orders/1", false), (r.Id, r.Document!.Id, r.IsDeletion)));
        Assert.Equal([3, 2], (await revisions.ListAsync<Order>("orders/1", 1, 2)).Select(r => r.Document!.Count));
        Assert.Equal(2, (await revisions.LoadAsync<Order>(vectors[2]))!.Document!.Count);
        Assert.Null(await revisions.LoadAsync<Order>(vectors[2].Replace(":", ":9", StringComparison.Ordinal)));
        Assert.Equal(
            all[0],
            await revisions.LoadAsync<Order>("orders/1", DateTimeOffset.MaxValue) is { } newest
                ? newest with
                {
                    Document = all[0].Document,
                }
                : null
        );
        Assert.Null(await revisions.LoadAsync<Order>("orders/1", all[^1].LastModified.AddTicks(-1)));
        Assert.Empty(await revisions.ListAsync<Company>("companies/1"));
        Assert.Empty(await revisions.ListAsync<Order>("orders/none"));
        session.Advanced.Evict(order);
        session.Delete("orders/1");
        await session.SaveChangesAsync();
        var deleted = (await revisions.ListAsync<Order>("orders/1"))[0];
        Assert.True(deleted.IsDeletion);
        Assert.Equal("orders/1", deleted.Id);
        Assert.Equal(2, (await revisions.LoadAsync<Order>(vectors[2]))!.Document!.Count);
        Assert.Null(await session.LoadAsync<Order>("orders/1"));
    }

    [Fact]
    public async Task A_document_is_loaded_as_it_was_at_a_time()
    {
        var clock = new ManualTimeProvider();
        var start = clock.GetUtcNow();
        await using var database = DocumentDatabase.Open(
            new DatabaseOptions
            {
                Name = "shop",
                TimeProvider = clock,
                Revisions = new RevisionConfiguration { Default = new RevisionPolicy() },
            }
        );
        await using var host = SubscriptionHost.Open(database, clock);
        await using var store = database.AsStore(host);
        await using var server = await PipelineServer.StartAsync(
            new ServerOptions { Shared = [new SharedDatabase(database, host)] }
        );
        await using var remote = DocumentStore.Connect(server.Url.ToString(), "shop");
        for (var day = 1; day <= 3; day++)
        {
            await using var session = store.OpenSession();
            session.Store(new Order { Count = day }, "orders/1");
            await session.SaveChangesAsync();
            clock.Advance(TimeSpan.FromDays(1));
        }

        foreach (var either in new[] { store, remote })
        {
            await using var session = either.OpenSession();
            var then = await session.Advanced.Revisions.LoadAsync<Order>(
                "orders/1",
                start.AddDays(1.5).ToOffset(TimeSpan.FromHours(2))
            );
            Assert.Equal(2, then!.Document!.Count);
            Assert.Equal(start.AddDays(1), then.LastModified);
        }
    }
}
