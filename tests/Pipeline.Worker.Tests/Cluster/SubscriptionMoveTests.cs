using System.Net;
using System.Text.Json;
using Pipeline.TestKit.Subscriptions;
using Pipeline.WorkerKit.Cluster;
using Xunit;

namespace Pipeline.Worker.Tests.Cluster;

/// <summary>A connection of RavenDB's clients for a subscription, at a node that does not lead or no longer.</summary>
public sealed class SubscriptionMoveTests
{
    [Fact]
    public async Task A_worker_is_redirected_when_another_node_leads()
    {
        await using var cluster = await WorkerCluster.StartAsync(2);
        var leader = await cluster.HandOverAsync("n1");
        await PrepareAsync(cluster);
        await using var client = await ConnectAsync(WorkerCluster.Url(leader, ""));
        Assert.Equal("Accepted", await client.ReadAsync(Status));
        Assert.Equal("orders/1", await client.ReadAsync(Id));
        Assert.Equal("EndOfBatch", await client.ReadAsync(Type));
        await cluster.HandOverAsync("n2");
        await RedirectedAsync(client, from: "n1", to: "n2");

        // The batch was not acknowledged: the next leader sends it.
        await using var next = await ConnectAsync(WorkerCluster.Url(cluster["n2"], ""));
        Assert.Equal("Accepted", await next.ReadAsync(Status));
        Assert.Equal("orders/1", await next.ReadAsync(Id));
    }

    [Fact]
    public async Task A_worker_that_connects_to_a_follower_is_redirected_to_the_leader()
    {
        await using var cluster = await WorkerCluster.StartAsync(2);
        await cluster.HandOverAsync("n1");
        await PrepareAsync(cluster);
        await using var client = await ConnectAsync(WorkerCluster.Url(cluster["n2"], ""));
        await RedirectedAsync(client, from: "n2", to: "n1");
    }

    private static async Task PrepareAsync(WorkerCluster cluster)
    {
        var leader = await cluster.LeaderAsync();
        Assert.Equal(HttpStatusCode.Created, await cluster.PutAsync(leader, "orders/1", 7));
        using var made = await cluster.Http.PutAsync(
            WorkerCluster.Url(leader, "/databases/shop/subscriptions"),
            new StringContent("""{"Name":"all","Query":"from Orders"}""")
        );
        Assert.True(made.IsSuccessStatusCode, await made.Content.ReadAsStringAsync());
    }

    private static async Task<TcpClientSide> ConnectAsync(Uri url)
    {
        var client = await TcpClientSide.ConnectAsync(url);
        await client.SendAsync(
            """{"DatabaseName":"shop","Operation":"Subscription","OperationVersion":53000}{"SubscriptionName":"all","Strategy":"WaitForFree"}"""
        );
        Assert.Equal("Ok", await client.ReadAsync(Status));
        return client;
    }

    private static async Task RedirectedAsync(TcpClientSide client, string from, string to)
    {
        Assert.Equal(
            $"ConnectionStatus Redirect {to} {to} {from} {from} [] The node '{from}' does not lead the cluster; '{to}' resumes the subscription.",
            await client.ReadAsync(m =>
            {
                var data = m.GetProperty("Data");
                return $"{Type(m)} {Status(m)} {data.GetProperty("RedirectedTag")} {data.GetProperty("redirectedTag")} {data.GetProperty("CurrentTag")} {data.GetProperty("currentTag")} {data.GetProperty("Reasons")} {m.GetProperty("Message")}";
            })
        );
        Assert.True(await client.IsEndedAsync());
    }

    private static string? Status(JsonElement message) => message.GetProperty("Status").GetString();

    private static string? Type(JsonElement message) => message.GetProperty("Type").GetString();

    private static string? Id(JsonElement message) =>
        message.GetProperty("Data").GetProperty("@metadata").GetProperty("@id").GetString();
}
