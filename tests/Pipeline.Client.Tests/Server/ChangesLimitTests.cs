using System.Net.WebSockets;
using System.Text;
using Pipeline.Database;
using Pipeline.Documents;
using Pipeline.Server.Changes;
using Pipeline.Server.Hosting;
using Pipeline.Server.Settings;
using Xunit;

namespace Pipeline.Client.Tests.Server;

/// <summary>
/// A web socket of <c>/changes</c> holds little, whatever its client watches and however little it takes.
/// </summary>
public sealed class ChangesLimitTests
{
    [Fact]
    public async Task A_client_that_takes_nothing_is_cut_off_and_others_keep_what_waits_for_them()
    {
        await using var database = DocumentDatabase.Open(new DatabaseOptions { Name = "test" });
        var memory = new ChangesMemory(64 << 10);
        using var greedySocket = new StuckSocket("""{"CommandId":1,"Command":"watch-docs"}""");
        using var modestSocket = new StuckSocket("""{"CommandId":1,"Command":"watch-doc","Param":"docs/1"}""");
        var (greedy, modest) = (
            new ChangesConnection(greedySocket, database, memory),
            new ChangesConnection(modestSocket, database, memory)
        );
        using var stop = new CancellationTokenSource();
        Task[] running = [greedy.RunAsync(stop.Token, default), modest.RunAsync(stop.Token, default)];
        await Task.WhenAll(greedySocket.IsSending, modestSocket.IsSending);

        for (var i = 0; i < 2_000; i++)
            await database.PutAsync("docs/" + i, "{}"u8.ToArray());
        using (var snapshot = database.OpenSnapshot())
        using (var batch = snapshot.ReadChanges(0, ChangeFilter.AllWithDeletes, new ChangeLimits(5_000, 4 << 20)))
        {
            greedy.Tell(batch);
            Assert.InRange(memory.Taken, 0, 1_000);
            modest.Tell(batch);
        }
        Assert.InRange(memory.Taken, 100, 1_000);
        await greedySocket.LetSendAsync();
        await running[0];
        Assert.Equal(WebSocketCloseStatus.PolicyViolation, greedySocket.CloseStatus);
        Assert.False(running[1].IsCompleted);

        await stop.CancelAsync();
        await Task.WhenAll(running);
        Assert.Equal(0, memory.Taken);
    }

    [Fact]
    public void Names_that_are_watched_are_counted_once_and_given_back()
    {
        var watches = new WatchList();
        string[] kinds = ["doc", "prefix", "collection", "index", "operation"];
        foreach (var kind in kinds)
        {
            Assert.Null(watches.Take("watch-" + kind, "name", 0));
            var once = watches.Bytes;
            Assert.Null(watches.Take("watch-" + kind, "name", 0));
            Assert.Equal(once, watches.Bytes);
            Assert.Contains(
                "at most 1024",
                watches.Take("watch-" + kind, new string('x', 1025), 0),
                StringComparison.Ordinal
            );
            Assert.Equal(once, watches.Bytes);
        }
        Assert.InRange(watches.Bytes, 5 * 8, 5 * 200);
        foreach (var kind in kinds)
            watches.Take("unwatch-" + kind, "name", 0);
        Assert.Equal(0, watches.Bytes);
    }

    [Fact]
    public async Task All_connections_together_watch_no_more_than_their_memory_holds()
    {
        await using var server = await Pipeline.Server.PipelineServer.StartAsync(
            new ServerOptions { Limits = new ServerLimits { MaxMemory = 1 << 20 } }
        );
        await server.CreateDatabaseAsync("db");
        using var socket = new ClientWebSocket();
        await socket.ConnectAsync(
            new Uri($"ws://127.0.0.1:{server.Url.Port}/databases/db/changes"),
            CancellationToken.None
        );
        var answers = new List<string>();
        for (var i = 0; i < 60; i++)
        {
            answers.Add(
                await AskAsync(
                    socket,
                    $$"""{"CommandId":{{i}},"Command":"watch-doc","Param":"{{new string('x', 1_000)}}{{i}}"}"""
                )
            );
        }

        Assert.Contains("Confirm", answers[20], StringComparison.Ordinal);
        Assert.Contains("watch too much together", answers[^1], StringComparison.Ordinal);
        Assert.Contains(
            "Confirm",
            await AskAsync(socket, """{"CommandId":99,"Command":"unwatch-doc","Param":"none"}"""),
            StringComparison.Ordinal
        );
        using var other = new ClientWebSocket();
        await other.ConnectAsync(
            new Uri($"ws://127.0.0.1:{server.Url.Port}/databases/db/changes"),
            CancellationToken.None
        );
        Assert.Contains(
            "Confirm",
            await AskAsync(other, """{"CommandId":1,"Command":"watch-doc","Param":"docs/1"}"""),
            StringComparison.Ordinal
        );
    }

    private static async Task<string> AskAsync(ClientWebSocket socket, string command)
    {
        await socket.SendAsync(
            Encoding.UTF8.GetBytes(command),
            WebSocketMessageType.Text,
            true,
            CancellationToken.None
        );
        var buffer = new byte[4096];
        var got = await socket.ReceiveAsync(buffer, CancellationToken.None);
        return Encoding.UTF8.GetString(buffer, 0, got.Count);
    }

    /// <summary>A client that sends one command and reads nothing until it is let.</summary>
    private sealed class StuckSocket(string command) : WebSocket
    {
        private readonly TaskCompletionSource _sending = new(TaskCreationOptions.RunContinuationsAsynchronously),
            _let = new(TaskCreationOptions.RunContinuationsAsynchronously);
        private byte[] _command = Encoding.UTF8.GetBytes(command);
        private WebSocketCloseStatus? _closed;

        public Task IsSending => _sending.Task;

        public override WebSocketCloseStatus? CloseStatus => _closed;

        public override string? CloseStatusDescription => null;

        public override WebSocketState State => _closed is null ? WebSocketState.Open : WebSocketState.CloseSent;

        public override string? SubProtocol => null;

        public async Task LetSendAsync()
        {
            _let.TrySetResult();
            await _let.Task;
        }

        public override async ValueTask<ValueWebSocketReceiveResult> ReceiveAsync(
            Memory<byte> buffer,
            CancellationToken cancellationToken
        )
        {
            if (_command.Length == 0)
                await Task.Delay(Timeout.Infinite, cancellationToken);
            if (buffer.IsEmpty)
                return new ValueWebSocketReceiveResult(0, WebSocketMessageType.Text, endOfMessage: false);
            _command.CopyTo(buffer);
            var result = new ValueWebSocketReceiveResult(
                _command.Length,
                WebSocketMessageType.Text,
                endOfMessage: true
            );
            _command = [];
            return result;
        }

        public override async Task SendAsync(
            ArraySegment<byte> buffer,
            WebSocketMessageType messageType,
            bool endOfMessage,
            CancellationToken cancellationToken
        )
        {
            _sending.TrySetResult();
            await _let.Task.WaitAsync(cancellationToken);
        }

        public override Task CloseOutputAsync(
            WebSocketCloseStatus closeStatus,
            string? statusDescription,
            CancellationToken cancellationToken
        )
        {
            _closed = closeStatus;
            return Task.CompletedTask;
        }

        public override Task CloseAsync(
            WebSocketCloseStatus closeStatus,
            string? statusDescription,
            CancellationToken cancellationToken
        ) => CloseOutputAsync(closeStatus, statusDescription, cancellationToken);

        public override Task<WebSocketReceiveResult> ReceiveAsync(
            ArraySegment<byte> buffer,
            CancellationToken cancellationToken
        ) => throw new NotSupportedException();

        public override void Abort() { }

        public override void Dispose() { }
    }
}
