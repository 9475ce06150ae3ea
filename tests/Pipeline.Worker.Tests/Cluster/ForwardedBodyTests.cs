using System.Text;
using Pipeline.Client;
using Pipeline.WorkerKit.Cluster;
using Xunit;

namespace Pipeline.Worker.Tests.Cluster;

/// <summary>Bodies of any length that a client sends to a node that does not lead.</summary>
public sealed class ForwardedBodyTests
{
    [Fact]
    public async Task The_leader_stores_them_and_its_refusals_reach_the_client()
    {
        await using var cluster = await WorkerCluster.StartAsync(2);
        await cluster.LeaderAsync();
        var follower = await cluster.FollowerAsync();
        await using var store = DocumentStore.Connect(
            WorkerCluster.Url(follower, "").ToString(),
            "shop",
            client: cluster.Http
        );
        await using (var insert = store.BulkInsert())
        {
            for (var i = 0; i < 5_000; i++)
                await insert.StoreAsync(new Order(i), $"orders/{i}");
            Assert.Equal(5_000, await insert.CompleteAsync());
        }
        using var content = new MemoryStream(Encoding.UTF8.GetBytes(new string('x', 5 << 20)));
        await using (var session = store.OpenSession())
        {
            session.Advanced.Attachments.Store("orders/4999", "note", content);
            await session.SaveChangesAsync();
            Assert.Equal(
                content.Length,
                Assert.Single(await session.Advanced.Attachments.ListAsync("orders/4999")).Size
            );
        }

        var refused = store.BulkInsert();
        var e = await Assert.ThrowsAsync<BulkInsertException>(async () =>
        {
            await refused.StoreAsync(new Order(1), new string('x', 5_000));
            for (var i = 0; i < 20_000; i++)
                await refused.StoreAsync(new Order(i), $"orders/{i}");
            await refused.CompleteAsync();
        });
        Assert.Contains("'xxxxxxxx", e.Message, StringComparison.Ordinal);
        await refused.DisposeAsync();
    }

    private sealed record Order(int Number);
}
