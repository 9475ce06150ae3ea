using System.Net;
using System.Net.Sockets;
using System.Text.Json;
using Pipeline.Hosting.Cluster;
using Pipeline.Server.Cluster;
using Xunit;

namespace Pipeline.Worker.Tests.Cluster;

/// <summary>
/// A node that cannot be reached is one kind of error, however its connection ends: callers catch that one, and go on.
/// </summary>
public sealed class NodeClientTests : IDisposable
{
    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
    private readonly NodeClient _client = new(certificate: null, []);

    public NodeClientTests() => _listener.Start();

    private ServerNode Node => new("n2", new Uri($"http://127.0.0.1:{((IPEndPoint)_listener.LocalEndpoint).Port}"));

    public void Dispose()
    {
        _client.Dispose();
        _listener.Dispose();
    }

    [Fact]
    public async Task An_answer_that_breaks_off_is_a_node_that_cannot_be_reached()
    {
        var answering = AnswerAsync("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{");
        await Assert.ThrowsAsync<HttpRequestException>(() =>
            _client.GetAsync<JsonElement>(Node, "/cluster/node", default)
        );
        await answering;
    }

    [Fact]
    public async Task A_refusal_is_told_in_the_words_of_the_node()
    {
        const string Said = """{"error":"this is for nodes of the cluster; bob is none"}""";
        var refusal =
            $"HTTP/1.1 403 Forbidden\r\nContent-Type: application/json\r\nContent-Length: {Said.Length}\r\n\r\n{Said}";
        foreach (var ask in (bool[])[true, false])
        {
            var answering = AnswerAsync(refusal);
            var error = await Assert.ThrowsAsync<HttpRequestException>(() =>
                ask
                    ? _client.GetAsync<JsonElement>(Node, "/cluster/node", default)
                    : _client.PostAsync(Node, "/cluster/holds", default)
            );
            Assert.Equal("this is for nodes of the cluster; bob is none", error.Message);
            Assert.Equal(HttpStatusCode.Forbidden, error.StatusCode);
            await answering;
        }
    }

    [Fact]
    public async Task A_connection_that_is_reset_at_once_is_a_node_that_cannot_be_reached()
    {
        using var stop = new CancellationTokenSource();
        var resetting = ResetAsync(stop.Token);
        for (var i = 0; i < 500; i++)
            await Assert.ThrowsAsync<HttpRequestException>(() => _client.PostAsync(Node, "/cluster/holds", default));
        await stop.CancelAsync();
        await resetting;
    }

    private async Task AnswerAsync(string text)
    {
        using var socket = await _listener.AcceptSocketAsync();
        await socket.ReceiveAsync(new byte[4096]);
        await socket.SendAsync(System.Text.Encoding.ASCII.GetBytes(text));
    }

    private async Task ResetAsync(CancellationToken ct)
    {
        try
        {
            while (true)
            {
                using var socket = await _listener.AcceptSocketAsync(ct);
                socket.LingerState = new LingerOption(true, 0);
            }
        }
        catch (OperationCanceledException)
        {
            return;
        }
    }
}
