using System.Buffers;
using System.Globalization;
using System.Net.WebSockets;
using System.Text.Json;
using System.Threading.Channels;
using Pipeline.Database;
using Pipeline.Database.Indexes;
using Pipeline.Documents;
using Pipeline.Server.Operations;

namespace Pipeline.Server.Changes;

/// <summary>
/// A client's web socket: receives its watch commands and sends changes. Unsent notices wait, up to a limit; a client
/// beyond it is disconnected, so that it knows that it missed some. Thread-safe.
/// </summary>
internal sealed class ChangesConnection(WebSocket socket, DocumentDatabase database, ChangesMemory memory)
{
    private const int MaxWaiting = 16_384;
    private const int MaxInFrame = 128;
    private const int MaxCommandBytes = 32 << 10;

    // A notice's array with its place in the queue.
    private const int NoticeBytes = 64;

    private static readonly TimeSpan CloseTime = TimeSpan.FromSeconds(1);
    private readonly Lock _gate = new();
    private readonly WatchList _watches = new();
    private readonly Channel<byte[]> _waiting = Channel.CreateBounded<byte[]>(
        new BoundedChannelOptions(MaxWaiting) { SingleReader = false }
    );
    private WebSocketCloseStatus _end = WebSocketCloseStatus.EndpointUnavailable;
    private string? _reason;
    private bool _toldCache;
    private bool _ends;
    private long _told;
    private long _held;

    /// <summary>
    /// Serves the client until it disconnects or the server stops. A client that still takes notices learns by a close
    /// that the server stops; one that takes none for <see cref="CloseTime"/> is cut off.
    /// </summary>
    public async Task RunAsync(CancellationToken aborted, CancellationToken stopping)
    {
        memory.Join();
        try
        {
            await ServeAsync(aborted, stopping).ConfigureAwait(false);
        }
        finally
        {
            // Nothing is added after the end.
            End();
            memory.Leave(Interlocked.Exchange(ref _held, 0));
        }
    }

    private async Task ServeAsync(CancellationToken aborted, CancellationToken stopping)
    {
        using var gone = CancellationTokenSource.CreateLinkedTokenSource(aborted);
        using var stop = stopping.Register(() =>
        {
            End("the server stops");
            gone.CancelAfter(CloseTime);
        });
        var reading = ReadAsync(gone);
        try
        {
            await WriteAsync(gone.Token).ConfigureAwait(false);
        }
        catch (Exception e) when (e is OperationCanceledException or WebSocketException or IOException)
        {
            // The client disconnected, or takes nothing while the server stops.
            End();
        }
        await CloseAsync().ConfigureAwait(false);
        // The client's answer to the close. A read that is cancelled resets the connection, and the reason may be lost.
        await Task.WhenAny(reading, Task.Delay(CloseTime, CancellationToken.None)).ConfigureAwait(false);
        await gone.CancelAsync().ConfigureAwait(false);
        await reading.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
    }

    /// <summary>Closes the connection once the waiting notices are sent.</summary>
    public void End()
    {
        lock (_gate)
            _ends = true;
        _waiting.Writer.TryComplete();
    }

    /// <summary>Closes the connection once the waiting notices are sent, and tells the client why.</summary>
    public void End(string reason)
    {
        _reason ??= reason;
        End();
    }

    /// <summary>Notifies the client of documents.</summary>
    public void Tell(ChangeBatch changes)
    {
        lock (_gate)
        {
            for (var i = 0; i < changes.Count; i++)
            {
                var change = changes[i];
                if (change.Kind != ChangeKind.Leave && change.Position > _told && _watches.Wants(change))
                    Add(Write(json => WriteDocument(json, change)));
            }
            _told = Math.Max(_told, changes.Through);
            TellCache();
        }
    }

    /// <summary>Notifies the client of an index.</summary>
    public void Tell(IndexChange change)
    {
        lock (_gate)
        {
            if (_watches.WantsIndex(change.Name))
                Add(Write(json => WriteIndex(json, change)));
            if (change.Kind == IndexChangeKind.BatchCompleted)
                TellCache();
        }
    }

    /// <summary>Notifies the client of an operation.</summary>
    public void Tell(Operation operation)
    {
        lock (_gate)
        {
            if (_watches.WantsOperation(operation.Id.ToString(CultureInfo.InvariantCulture)))
                Add(Write(json => WriteOperation(json, operation)));
        }
    }

    /// <summary>
    /// Queues a cache notice. One is enough until it is sent, because it says only that something changed.
    /// </summary>
    private void TellCache()
    {
        if (!_watches.Caching || _toldCache)
            return;
        _toldCache = true;
        Add("{\"Type\":\"AggressiveCacheChange\"}"u8.ToArray());
    }

    private void Add(byte[] message)
    {
        if (_ends)
            return;
        var held = Hold(message.Length + NoticeBytes);
        if (!memory.IsTooMuch(held) && _waiting.Writer.TryWrite(message))
            return;
        Release(message);
        _end = WebSocketCloseStatus.PolicyViolation;
        End("too many changes wait to be taken");
        // The client learns by the close that it missed some; what waits for a client that may never read is freed now.
        while (_waiting.Reader.TryRead(out var dropped))
            Release(dropped);
    }

    private long Hold(long bytes)
    {
        memory.Take(bytes);
        return Interlocked.Add(ref _held, bytes);
    }

    private void Release(byte[] message)
    {
        memory.Return(message.Length + NoticeBytes);
        Interlocked.Add(ref _held, -(message.Length + NoticeBytes));
    }

    private async Task WriteAsync(CancellationToken ct)
    {
        var frame = new ArrayBufferWriter<byte>();
        while (await _waiting.Reader.WaitToReadAsync(ct).ConfigureAwait(false))
        {
            frame.ResetWrittenCount();
            for (var count = 0; count < MaxInFrame && _waiting.Reader.TryRead(out var message); count++)
            {
                frame.Write(count == 0 ? "["u8 : ","u8);
                frame.Write(message);
                Release(message);
            }
            frame.Write("]"u8);
            lock (_gate)
                _toldCache = false;
            await socket
                .SendAsync(frame.WrittenMemory, WebSocketMessageType.Text, endOfMessage: true, ct)
                .ConfigureAwait(false);
            if (frame.Capacity > MaxCommandBytes)
                frame = new ArrayBufferWriter<byte>();
        }
    }

    private async Task ReadAsync(CancellationTokenSource gone)
    {
        try
        {
            while (await ReceiveAsync(gone.Token).ConfigureAwait(false) is { } text)
                Take(text);
        }
        catch (Exception e) when (e is OperationCanceledException or WebSocketException or IOException)
        {
            // The client disconnected without a close message.
            End();
        }
        End();
        await gone.CancelAsync().ConfigureAwait(false);
    }

    /// <summary>Receives the next message; null if the client closes. Holds no memory while waiting.</summary>
    private async Task<byte[]?> ReceiveAsync(CancellationToken ct)
    {
        var first = await socket.ReceiveAsync(Memory<byte>.Empty, ct).ConfigureAwait(false);
        if (first.MessageType == WebSocketMessageType.Close)
            return null;
        if (first.EndOfMessage)
            return [];
        var buffer = ArrayPool<byte>.Shared.Rent(MaxCommandBytes);
        try
        {
            var length = 0;
            while (true)
            {
                var part = await socket
                    .ReceiveAsync(buffer.AsMemory(length, MaxCommandBytes - length), ct)
                    .ConfigureAwait(false);
                length += part.Count;
                if (part.MessageType == WebSocketMessageType.Close)
                    return null;
                if (part.EndOfMessage)
                    return buffer[..length];
                if (length == MaxCommandBytes)
                {
                    _end = WebSocketCloseStatus.MessageTooBig;
                    return null;
                }
            }
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(buffer);
        }
    }

    private void Take(byte[] text)
    {
        try
        {
            using var message = JsonDocument.Parse(text);
            var root = message.RootElement;
            var id = root.GetProperty("CommandId").GetInt64();
            var command = root.GetProperty("Command").GetString() ?? "";
            var parameter =
                root.TryGetProperty("Param", out var given) && given.ValueKind == JsonValueKind.String
                    ? given.GetString()
                    : null;
            lock (_gate)
            {
                var refused = Watch(command, parameter);
                Add(
                    refused is null
                        ? Write(json => WriteConfirmation(json, id))
                        : Write(json => WriteError(json, refused))
                );
            }
        }
        catch (Exception e)
            when (e is JsonException or InvalidOperationException or KeyNotFoundException or FormatException)
        {
            lock (_gate)
            {
                Add(
                    Write(json =>
                        WriteError(json, $"a command must be an object with 'CommandId' and 'Command': {e.Message}")
                    )
                );
            }
        }
    }

    /// <summary>Applies a command; returns why it is refused, or null.</summary>
    private string? Watch(string command, string? parameter)
    {
        var before = _watches.Bytes;
        if (_watches.Take(command, parameter, database.LastPosition) is { } refused)
            return refused;
        var more = _watches.Bytes - before;
        if (!memory.IsTooMuch(Hold(more)) || more <= 0)
            return null;
        _watches.Take("un" + command, parameter, database.LastPosition);
        Hold(-more);
        return "the connections of this server watch too much together; watch a prefix or a collection instead of many ids";
    }

    private async Task CloseAsync()
    {
        if (socket.State is not (WebSocketState.Open or WebSocketState.CloseReceived))
            return;
        using var late = new CancellationTokenSource(CloseTime);
        try
        {
            await socket
                .CloseOutputAsync(
                    socket.State == WebSocketState.CloseReceived ? WebSocketCloseStatus.NormalClosure : _end,
                    _reason,
                    late.Token
                )
                .ConfigureAwait(false);
        }
        catch (Exception e) when (e is OperationCanceledException or WebSocketException or IOException)
        {
            socket.Abort();
        }
    }

    private static byte[] Write(Action<Utf8JsonWriter> write)
    {
        var text = new ArrayBufferWriter<byte>(256);
        using (var json = new Utf8JsonWriter(text))
        {
            json.WriteStartObject();
            write(json);
            json.WriteEndObject();
        }
        return text.WrittenSpan.ToArray();
    }

    private void WriteDocument(Utf8JsonWriter json, in Change change)
    {
        json.WriteString("Type", "DocumentChange");
        json.WriteStartObject("Value");
        json.WriteString("Type", change.IsDeleted ? "Delete" : "Put");
        json.WriteString("Id", change.Id);
        json.WriteString("CollectionName", change.Collection);
        json.WriteString("ChangeVector", ChangeVector.Format(change.Position, database.Id));
        json.WriteEndObject();
    }

    private static void WriteIndex(Utf8JsonWriter json, IndexChange change)
    {
        json.WriteString("Type", "IndexChange");
        json.WriteStartObject("Value");
        json.WriteString(
            "Type",
            change.Kind switch
            {
                IndexChangeKind.Added => "IndexAdded",
                IndexChangeKind.Removed => "IndexRemoved",
                IndexChangeKind.Replaced => "SideBySideReplace",
                IndexChangeKind.Failed => "IndexMarkedAsErrored",
                IndexChangeKind.Paused => "IndexPaused",
                IndexChangeKind.Disabled => "IndexDemotedToDisabled",
                IndexChangeKind.LockModeChanged => "LockModeChanged",
                IndexChangeKind.PriorityChanged => "PriorityChanged",
                _ => "BatchCompleted",
            }
        );
        json.WriteString("Name", change.Name);
        json.WriteEndObject();
    }

    private static void WriteOperation(Utf8JsonWriter json, Operation operation)
    {
        json.WriteString("Type", "OperationStatusChange");
        json.WriteStartObject("Value");
        json.WriteNumber("OperationId", operation.Id);
        json.WritePropertyName("State");
        OperationWire.Write(json, operation);
        json.WriteEndObject();
    }

    private static void WriteConfirmation(Utf8JsonWriter json, long command)
    {
        json.WriteString("Type", "Confirm");
        json.WriteNumber("CommandId", command);
    }

    private static void WriteError(Utf8JsonWriter json, string message)
    {
        json.WriteString("Type", "Error");
        json.WriteString("Exception", message);
    }
}
