using System.Net.WebSockets;
using System.Text;
using Pipeline.WorkerKit.Cluster;
using Xunit;

namespace Pipeline.Worker.Tests.Cluster;

/// <summary>A web socket of changes at a node that leads no more closes in order, and says where to connect.</summary>
public sealed class ChangesMoveTests
{
    private static readonly TimeSpan Most = TimeSpan.FromSeconds(30);

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Changes_are_closed_with_a_reason_when_another_node_leads(bool atLeader)
    {
        await using var cluster = await WorkerCluster.StartAsync(2);
        var leader = await cluster.LeaderAsync();
        var other = await cluster.FollowerAsync();
        using var late = new CancellationTokenSource(Most);
        using var socket = new ClientWebSocket();
        var url = WorkerCluster.Url(atLeader ? leader : other, "/databases/shop/changes");
        await socket.ConnectAsync(new UriBuilder(url) { Scheme = "ws" }.Uri, late.Token);
        await socket.SendAsync(
            Encoding.UTF8.GetBytes("""{ "CommandId": 1, "Command": "watch-docs", "Param": null }"""),
            WebSocketMessageType.Text,
            endOfMessage: true,
            late.Token
        );
        var buffer = new byte[1024];
        Assert.Equal(WebSocketMessageType.Text, (await socket.ReceiveAsync(buffer, late.Token)).MessageType);

        var (was, next) = (leader.Cluster!.Self.Name, other.Cluster!.Self.Name);
        await cluster.HandOverAsync(next);

        Assert.Equal(WebSocketMessageType.Close, (await socket.ReceiveAsync(buffer, late.Token)).MessageType);
        Assert.Equal(WebSocketCloseStatus.EndpointUnavailable, socket.CloseStatus);
        Assert.StartsWith($"{was} no longer leads; connect", socket.CloseStatusDescription, StringComparison.Ordinal);
    }
}
