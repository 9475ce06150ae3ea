using System.Buffers;
using System.Net.WebSockets;
using System.Text.Json;
using System.Threading.Channels;
using Microsoft.Extensions.Logging;
using Pipeline.Documents;
using Pipeline.Server.Answers;
using Pipeline.Server.Errors;
using Pipeline.Server.Protocol;
using Pipeline.Server.Settings;
using Pipeline.Subscriptions;

namespace Pipeline.Server.Subscriptions;

/// <summary>
/// A worker's web socket. The server sends <c>Accepted</c>, then a <c>Batch</c> for each <c>Acknowledge</c>, which it
/// confirms by <c>Acknowledged</c>; at last
/// <c>Empty</c> or <c>End</c> with the problem. One task writes, another reads, so that a client that leaves is noticed
/// at once. The server answers its close once the worker has left the subscription.
/// </summary>
internal sealed class WorkerSocket(WebSocket socket, DatabaseRequest request, ServerOptions options, ILogger logger)
{
    private const int MaxMessageBytes = 16 << 20;
    private const int PartBytes = 16 << 10;
    private const int MaxUnread = 4;
    private static readonly TimeSpan CloseTime = TimeSpan.FromSeconds(1);
    private readonly bool _asLines = request.Flag("asLines");
    private readonly Channel<IReadOnlyDictionary<int, string?>> _acknowledged = Channel.CreateBounded<
        IReadOnlyDictionary<int, string?>
    >(new BoundedChannelOptions(MaxUnread) { SingleReader = true, SingleWriter = true });

    /// <summary>Serves the worker until either side ends the connection or the server stops.</summary>
    public async Task RunAsync(
        string subscription,
        SubscriptionWorkerOptions worker,
        bool endsWhenEmpty,
        CancellationToken aborted,
        CancellationToken stopping
    )
    {
        using var ends = CancellationTokenSource.CreateLinkedTokenSource(aborted);
        using var serving = CancellationTokenSource.CreateLinkedTokenSource(ends.Token, stopping);
        var reading = ReadAsync(ends);
        try
        {
            await ServeAsync(subscription, worker, endsWhenEmpty, serving.Token).ConfigureAwait(false);
        }
        catch (Exception e) when (Problem(e) is { } problem)
        {
            ServerLog.WorkerEnded(logger, worker.Name, e.Message);
            await TrySendAsync(
                    Message(
                        "End",
                        json =>
                        {
                            json.WriteString("Problem", problem);
                            json.WriteString("Message", e.Message);
                        }
                    )
                )
                .ConfigureAwait(false);
        }
        catch (Exception e) when (e is OperationCanceledException or WebSocketException or IOException)
        {
            ServerLog.WorkerLeft(logger, worker.Name, e.Message);
        }

        // The reader must not stop before it has the client's close: a web socket whose read is cancelled cannot be
        // closed in order.
        await CloseAsync(reading).ConfigureAwait(false);
        await ends.CancelAsync().ConfigureAwait(false);
        await reading.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
    }

    private static string? Problem(Exception e) =>
        e switch
        {
            // The client finds the database closed, or finds it again after a restart.
            SubscriptionException { Problem: SubscriptionProblem.Closed }
            or ObjectDisposedException
            or RequestMemoryException => "Unreachable",
            SubscriptionException subscription => subscription.Problem.ToString(),
            BadRequestException => nameof(SubscriptionProblem.Invalid),
            _ => null,
        };

    private async Task ServeAsync(
        string subscription,
        SubscriptionWorkerOptions options,
        bool endsWhenEmpty,
        CancellationToken ct
    )
    {
        var host = request.Served.Subscriptions;
        var worker = await host.ConnectAsync(subscription, options, ct).ConfigureAwait(false);
        await using var _ = worker.ConfigureAwait(false);
        var attempts = host.GetStatus(subscription)[0].Definition.MaxAttempts;
        await SendAsync(Message("Accepted", json => json.WriteNumber("MaxAttempts", attempts)), true, ct)
            .ConfigureAwait(false);
        while (await worker.NextAsync(endsWhenEmpty, ct).ConfigureAwait(false) is { } batch)
        {
            if (_acknowledged.Reader.TryRead(out var early))
                throw new BadRequestException("an acknowledgement came before its batch was sent");
            await SendAsync(batch, ct).ConfigureAwait(false);
            var next = _acknowledged.Reader.ReadAsync(ct).AsTask();
            if (await Task.WhenAny(next, worker.Ended).ConfigureAwait(false) != next)
                throw await worker.Ended.ConfigureAwait(false);
            foreach (var (index, reason) in await AcknowledgementAsync(next).ConfigureAwait(false))
            {
                if (index < 0 || index >= batch.Count)
                {
                    throw new BadRequestException(
                        $"the acknowledgement names the item {index} of a batch of {batch.Count}"
                    );
                }

                if (reason is null)
                    batch.Release(batch[index]);
                else
                    batch.Reject(batch[index], reason);
            }
            await batch.AcknowledgeAsync(null, CancellationToken.None).ConfigureAwait(false);
            await SendAsync(Message("Acknowledged", _ => { }), true, ct).ConfigureAwait(false);
        }
        await SendAsync(Message("Empty", _ => { }), true, ct).ConfigureAwait(false);
    }

    private static async Task<IReadOnlyDictionary<int, string?>> AcknowledgementAsync(
        Task<IReadOnlyDictionary<int, string?>> next
    )
    {
        try
        {
            return await next.ConfigureAwait(false);
        }
        catch (ChannelClosedException e)
        {
            throw e.InnerException as BadRequestException
                ?? (Exception)new OperationCanceledException("The client is gone.", e);
        }
    }

    /// <summary>
    /// Sends a batch as one message in parts. A slow client delays only itself: no snapshot is open while a part is
    /// sent.
    /// </summary>
    private async Task SendAsync(SubscriptionBatch batch, CancellationToken ct)
    {
        using var memory = request.Memory.Begin();
        using var answer = new JsonAnswer(memory);
        answer.Json.WriteStartObject();
        answer.Json.WriteString("Type", "Batch");
        if (batch.Resync is { } phase)
            answer.Json.WriteString("Resync", phase.ToString());
        answer.Json.WriteStartArray("Items");
        for (var next = 0; next < batch.Count; )
        {
            using (var snapshot = request.Database.OpenSnapshot("subscription batch"))
            {
                while (next < batch.Count && answer.Waiting < DatabaseRequest.SendBytes)
                    Write(answer, snapshot, batch[next++]);
            }
            await SendPartAsync(answer, false, ct).ConfigureAwait(false);
        }
        if (_asLines && batch.Includes.Count > 0)
            WriteLine(answer, null, batch.WriteIncludes);
        answer.Json.WriteEndArray();
        answer.Json.WriteStartArray("Includes");
        foreach (var document in _asLines ? [] : batch.Includes.Values)
        {
            if (document is null)
                continue;
            answer.Document(document);
            if (answer.Waiting >= DatabaseRequest.SendBytes)
                await SendPartAsync(answer, false, ct).ConfigureAwait(false);
        }
        answer.Json.WriteEndArray();
        answer.Json.WriteEndObject();
        await SendPartAsync(answer, true, ct).ConfigureAwait(false);
    }

    /// <summary>Writes an item whose document is a line of <c>pipeline subscribe</c>.</summary>
    private static void WriteLine(JsonAnswer answer, string? id, Action<IBufferWriter<byte>> write)
    {
        answer.Json.WriteStartObject();
        if (id is not null)
            answer.Json.WriteString("Id", id);
        answer.Json.WritePropertyName("Document");
        answer.Raw(write);
        answer.Json.WriteEndObject();
    }

    private void Write(JsonAnswer answer, DatabaseSnapshot snapshot, SubscriptionItem item)
    {
        if (_asLines)
        {
            WriteLine(answer, item.Id, target => item.WriteJson(snapshot, target));
            return;
        }

        var json = answer.Json;
        json.WriteStartObject();
        json.WriteString("Id", item.Id);
        json.WriteString("Collection", item.Collection);
        json.WriteString("ChangeVector", ChangeVector.Format(item.Position, request.Database.Id));
        json.WriteString("LastModified", item.LastModified);
        if (item.Attempts > 0)
            json.WriteNumber("Attempts", item.Attempts);
        if (item.Kind != ChangeKind.Put)
            json.WriteBoolean("IsDeleted", true);
        if (!item.Projected.IsEmpty)
        {
            json.WriteBoolean("IsProjection", true);
            json.WritePropertyName("Document");
            json.WriteRawValue(item.Projected.Span, skipInputValidation: true);
        }
        else if (item.Kind == ChangeKind.Put)
        {
            json.WritePropertyName("Document");
            answer.Raw(target => snapshot.WriteJson(item.ToChange(), target));
        }
        if (item.PreviousIsKnown)
            json.WriteBoolean("PreviousIsKnown", true);
        if (item.Previous is { } previous)
        {
            json.WritePropertyName("Previous");
            answer.Document(previous);
        }
        json.WriteEndObject();
    }

    private async Task SendPartAsync(JsonAnswer answer, bool isLast, CancellationToken ct)
    {
        await SendAsync(answer.Complete(), isLast, ct).ConfigureAwait(false);
        answer.Clear();
    }

    /// <summary>Sends a message or a part of one. A client that takes nothing for the idle time is gone.</summary>
    private async Task SendAsync(ReadOnlyMemory<byte> text, bool isLast, CancellationToken ct)
    {
        using var stuck = new CancellationTokenSource(options.Limits.MaxIdleTime, options.Time);
        using var either = CancellationTokenSource.CreateLinkedTokenSource(ct, stuck.Token);
        await socket.SendAsync(text, WebSocketMessageType.Text, isLast, either.Token).ConfigureAwait(false);
    }

    private async Task TrySendAsync(ReadOnlyMemory<byte> text)
    {
        try
        {
            await SendAsync(text, true, CancellationToken.None).ConfigureAwait(false);
        }
        catch (Exception e)
            when (e is OperationCanceledException or WebSocketException or IOException or InvalidOperationException)
        {
            ServerLog.WorkerLeft(logger, "The worker", e.Message);
        }
    }

    /// <summary>Takes acknowledgements until the client closes.</summary>
    private async Task ReadAsync(CancellationTokenSource ends)
    {
        Exception? error = null;
        try
        {
            using var memory = request.Memory.Begin();
            while (await ReceiveAsync(memory, ends.Token).ConfigureAwait(false) is { } text)
                await _acknowledged.Writer.WriteAsync(Parse(text), ends.Token).ConfigureAwait(false);
        }
        catch (Exception e)
            when (e
                    is OperationCanceledException
                        or WebSocketException
                        or IOException
                        or BadRequestException
                        or RequestMemoryException
            )
        {
            error = e;
        }
        _acknowledged.Writer.TryComplete(error);
        if (error is not BadRequestException)
            await ends.CancelAsync().ConfigureAwait(false);
    }

    /// <summary>The next message; null if the client closes. Holds no memory while waiting.</summary>
    private async Task<ReadOnlyMemory<byte>?> ReceiveAsync(RequestMemory memory, CancellationToken ct)
    {
        var first = await socket.ReceiveAsync(Memory<byte>.Empty, ct).ConfigureAwait(false);
        if (first.MessageType == WebSocketMessageType.Close)
            return null;
        var text = new ArrayBufferWriter<byte>(PartBytes);
        while (true)
        {
            if (text.WrittenCount > MaxMessageBytes)
                throw new BadRequestException($"a message has more than {MaxMessageBytes} bytes");
            memory.Hold(PartBytes);
            var part = await socket.ReceiveAsync(text.GetMemory(PartBytes), ct).ConfigureAwait(false);
            if (part.MessageType == WebSocketMessageType.Close)
                return null;
            text.Advance(part.Count);
            if (!part.EndOfMessage)
                continue;
            memory.Release(memory.Held);
            return text.WrittenMemory;
        }
    }

    private static Dictionary<int, string?> Parse(ReadOnlyMemory<byte> text)
    {
        try
        {
            using var json = JsonDocument.Parse(text);
            if (!json.RootElement.GetProperty("Type").ValueEquals("Acknowledge"))
                throw new BadRequestException("a worker sends acknowledgements only");
            var except = new Dictionary<int, string?>();
            foreach (var item in json.RootElement.GetProperty("Except").EnumerateArray())
                except[item.GetProperty("Index").GetInt32()] = item.GetProperty("Reason").GetString();
            return except;
        }
        catch (Exception e)
            when (e is JsonException or KeyNotFoundException or InvalidOperationException or FormatException)
        {
            throw new BadRequestException($"a message must be an acknowledgement with 'Except': {e.Message}");
        }
    }

    private async Task CloseAsync(Task reading)
    {
        using var late = new CancellationTokenSource(CloseTime, options.Time);
        try
        {
            if (socket.State is WebSocketState.Open or WebSocketState.CloseReceived)
            {
                await socket
                    .CloseOutputAsync(
                        socket.State == WebSocketState.CloseReceived
                            ? WebSocketCloseStatus.NormalClosure
                            : WebSocketCloseStatus.EndpointUnavailable,
                        null,
                        late.Token
                    )
                    .ConfigureAwait(false);
            }

            await reading.WaitAsync(late.Token).ConfigureAwait(false);
        }
        catch (Exception e) when (e is OperationCanceledException or WebSocketException or IOException)
        {
            socket.Abort();
        }
    }

    private static ReadOnlyMemory<byte> Message(string type, Action<Utf8JsonWriter> write)
    {
        var text = new ArrayBufferWriter<byte>();
        using (var json = new Utf8JsonWriter(text))
        {
            json.WriteStartObject();
            json.WriteString("Type", type);
            write(json);
            json.WriteEndObject();
        }
        return text.WrittenMemory;
    }
}
