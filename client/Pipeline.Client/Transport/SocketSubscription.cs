using System.Globalization;
using System.Net.WebSockets;
using System.Security.Cryptography;
using System.Text;
using System.Text.Json;
using System.Threading.Channels;

namespace Pipeline.Client.Transport;

/// <summary>
/// A worker over a web socket: the server sends a batch as one message, the worker acknowledges it, and the server
/// confirms that. A task reads all the time, so that the worker notices at once when it has lost the subscription.
/// </summary>
internal sealed class SocketSubscription : ISubscriptionConnection
{
    private const int FirstBytes = 16 << 10;

    // By RFC 6455, the answer to the key.
    private const string Magic = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    private static readonly TimeSpan KeepAlive = TimeSpan.FromSeconds(15);
    private static readonly TimeSpan CloseTime = TimeSpan.FromSeconds(5);
    private readonly string _subscription;
    private readonly HttpResponseMessage _response;
    private readonly WebSocket _socket;
    private readonly Channel<ReadOnlyMemory<byte>> _received = Channel.CreateUnbounded<ReadOnlyMemory<byte>>(
        new UnboundedChannelOptions { SingleReader = true, SingleWriter = true }
    );
    private readonly CancellationTokenSource _ended = new(),
        _stop = new();
    private readonly CancellationToken _closed;
    private readonly CancellationTokenRegistration _closing;
    private Task _reading = Task.CompletedTask;
    private bool _isAcknowledging;

    private SocketSubscription(
        string subscription,
        HttpResponseMessage response,
        WebSocket socket,
        CancellationToken closed
    )
    {
        (_subscription, _response, _socket, _closed) = (subscription, response, socket, closed);
        Ended = _ended.Token;
        _closing = closed.UnsafeRegister(static socket => ((WebSocket)socket!).Abort(), socket);
    }

    public int MaxAttempts { get; private set; }

    public CancellationToken Ended { get; }

    /// <summary>Connects, and waits for the worker's place.</summary>
    /// <exception cref="ServerException">The server refuses the web socket, or does not answer.</exception>
    /// <exception cref="SubscriptionException">The worker is refused.</exception>
    public static async Task<ISubscriptionConnection> OpenAsync(
        HttpTransport transport,
        string subscription,
        SubscribeOptions options,
        CancellationToken cancellationToken
    )
    {
        if (transport.Closed.IsCancellationRequested)
            throw SubscriptionMessages.Closed(subscription, null);
        var key = Convert.ToBase64String(Guid.NewGuid().ToByteArray());
        var response = await transport
            .SwitchAsync(Path(subscription, options), key, cancellationToken)
            .ConfigureAwait(false);
        SocketSubscription connection;
        try
        {
            if (
                !response.Headers.TryGetValues("Sec-WebSocket-Accept", out var accepted)
                || accepted.First() != Answer(key)
            )
            {
                throw new ServerException("the server switched to another protocol than web sockets", 404);
            }

            var stream = await response.Content.ReadAsStreamAsync(cancellationToken).ConfigureAwait(false);
            connection = new SocketSubscription(
                subscription,
                response,
                WebSocket.CreateFromStream(
                    stream,
                    new WebSocketCreationOptions { KeepAliveInterval = KeepAlive, KeepAliveTimeout = KeepAlive }
                ),
                transport.Closed
            );
        }
        catch
        {
            response.Dispose();
            throw;
        }

        connection._reading = connection.ReadAsync();
        try
        {
            using var begin = JsonDocument.Parse(
                await connection.ReceivedAsync(cancellationToken).ConfigureAwait(false)
            );
            connection.MaxAttempts = begin.RootElement.GetProperty(nameof(MaxAttempts)).GetInt32();
            return connection;
        }
        catch
        {
            await connection.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    public async ValueTask<DeliveredBatch?> NextAsync(CancellationToken cancellationToken)
    {
        var text = await ReceivedAsync(cancellationToken).ConfigureAwait(false);
        return TypeOf(text.Span) == "Empty" ? null : SubscriptionMessages.Batch(text);
    }

    public async Task AcknowledgeAsync(IReadOnlyList<Unsettled> except, CancellationToken cancellationToken)
    {
        if (!_isAcknowledging)
        {
            // A second call only waits: the server takes one acknowledgement for a batch.
            _isAcknowledging = true;
            await SendAsync(SubscriptionMessages.Acknowledgement(except))
                .WaitAsync(cancellationToken)
                .ConfigureAwait(false);
        }

        await ReceivedAsync(cancellationToken).ConfigureAwait(false);
        _isAcknowledging = false;
    }

    public async ValueTask DisposeAsync()
    {
        using var late = new CancellationTokenSource(CloseTime);
        try
        {
            // The server answers the close once the worker has left the subscription.
            if (_socket.State == WebSocketState.Open)
            {
                await _socket
                    .CloseOutputAsync(WebSocketCloseStatus.NormalClosure, null, late.Token)
                    .ConfigureAwait(false);
            }

            await _reading.WaitAsync(late.Token).ConfigureAwait(false);
        }
        catch (Exception e)
            when (e is OperationCanceledException or WebSocketException or IOException or ObjectDisposedException)
        {
            _socket.Abort();
        }

        await _closing.DisposeAsync().ConfigureAwait(false);
        await _stop.CancelAsync().ConfigureAwait(false);
        await _reading.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        _socket.Dispose();
        _response.Dispose();
        _stop.Dispose();
        _ended.Dispose();
    }

    private static string Path(string subscription, SubscribeOptions options)
    {
        var path = new StringBuilder("/subscriptions/worker");
        Add("name", subscription);
        Add("worker", options.WorkerName);
        Add("strategy", options.Strategy.ToString());
        Add("maxCount", options.MaxBatchCount.ToString(CultureInfo.InvariantCulture));
        Add("maxBytes", options.MaxBatchBytes.ToString(CultureInfo.InvariantCulture));
        if (options.MaxBatchTime is { } lease)
            Add("lease", lease.ToString("c"));
        if (options.EndsWhenEmpty)
            Add("endsWhenEmpty", "true");
        if (options.AsLines)
            Add("asLines", "true");
        return path.ToString();

        void Add(string name, string value) =>
            path.Append(path.ToString().Contains('?', StringComparison.Ordinal) ? '&' : '?')
                .Append(name)
                .Append('=')
                .Append(Uri.EscapeDataString(value));
    }

    private static string Answer(string key)
    {
#pragma warning disable CA5350 // RFC 6455 says how; it protects nothing.
        return Convert.ToBase64String(SHA1.HashData(Encoding.ASCII.GetBytes(key + Magic)));
#pragma warning restore CA5350
    }

    private async Task SendAsync(byte[] message)
    {
        try
        {
            await _socket
                .SendAsync(message.AsMemory(), WebSocketMessageType.Text, endOfMessage: true, _stop.Token)
                .ConfigureAwait(false);
        }
        catch (Exception e) when (e is WebSocketException or IOException or InvalidOperationException)
        {
            // The reader has the reason, unless only sending fails.
            _socket.Abort();
            await _reading.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            throw await ReasonAsync().ConfigureAwait(false) ?? Lost(e.Message, e);
        }
    }

    private async ValueTask<ReadOnlyMemory<byte>> ReceivedAsync(CancellationToken cancellationToken)
    {
        try
        {
            return await _received.Reader.ReadAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (ChannelClosedException)
        {
            throw await ReasonAsync().ConfigureAwait(false) ?? Lost("the server closed it", null);
        }
    }

    private async Task<SubscriptionException?> ReasonAsync()
    {
        try
        {
            await _received.Reader.Completion.ConfigureAwait(false);
            return null;
        }
        catch (SubscriptionException e)
        {
            return e;
        }
    }

    /// <summary>Takes messages until the connection ends, and notes why it did.</summary>
    private async Task ReadAsync()
    {
        SubscriptionException? reason = null;
        try
        {
            while (reason is null && await ReceiveAsync().ConfigureAwait(false) is { } text)
            {
                if (TypeOf(text.Span) == "End")
                    reason = End(text);
                else
                    _received.Writer.TryWrite(text);
            }
        }
        catch (Exception e)
            when (e
                    is WebSocketException
                        or IOException
                        or OperationCanceledException
                        or ObjectDisposedException
                        or JsonException
            )
        {
            reason = _closed.IsCancellationRequested
                ? SubscriptionMessages.Closed(_subscription, e)
                : Lost(e.Message, e);
        }

        _received.Writer.TryComplete(reason ?? Lost("the server closed it", null));
        await _ended.CancelAsync().ConfigureAwait(false);
    }

    /// <summary>The next message; <see langword="null"/> after the last.</summary>
    private async Task<ReadOnlyMemory<byte>?> ReceiveAsync()
    {
        var buffer = new byte[FirstBytes];
        var length = 0;
        while (true)
        {
            var part = await _socket.ReceiveAsync(buffer.AsMemory(length), _stop.Token).ConfigureAwait(false);
            if (part.MessageType == WebSocketMessageType.Close)
                return null;
            length += part.Count;
            if (part.EndOfMessage)
                return buffer.AsMemory(0, length);
            if (length == buffer.Length)
                Array.Resize(ref buffer, buffer.Length * 2);
        }
    }

    private static string? TypeOf(ReadOnlySpan<byte> text)
    {
        // It is the first member.
        var reader = new Utf8JsonReader(text);
        return reader.Read() && reader.Read() && reader.ValueTextEquals("Type"u8) && reader.Read()
            ? reader.GetString()
            : null;
    }

    private SubscriptionException End(ReadOnlyMemory<byte> text)
    {
        using var json = JsonDocument.Parse(text);
        var problem = SubscriptionMessages.Problem(AnswerReader.Text(json.RootElement, "Problem") ?? "");
        return new SubscriptionException(
            _subscription,
            problem,
            AnswerReader.Text(json.RootElement, "Message") ?? problem.ToString()
        );
    }

    private SubscriptionException Lost(string why, Exception? cause) =>
        new(
            _subscription,
            SubscriptionProblem.Unreachable,
            $"the connection of a worker of the subscription '{_subscription}' was lost: {why}",
            cause
        );
}
