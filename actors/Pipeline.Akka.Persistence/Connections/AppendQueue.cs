using System.Threading.Channels;
using Pipeline.Documents.Events;

namespace Pipeline.Akka.Persistence.Connections;

/// <summary>
/// Batches appends of many actors into one request: those that arrive during a request go with the next one. Requests
/// run one after another, so appends keep their order. Thread-safe.
/// </summary>
internal sealed class AppendQueue : IAsyncDisposable
{
    private const int MaxBytes = 4 * 1024 * 1024;
    private const int MaxAppends = 4_096;
    private readonly Channel<Item> _waiting = Channel.CreateUnbounded<Item>(
        new UnboundedChannelOptions { SingleReader = true }
    );
    private readonly Func<Action<EventFrameWriter>, Task<EventFrameReader>> _send;
    private readonly Task _loop;

    /// <summary>Starts to send.</summary>
    /// <param name="send">Sends a frame of appends and returns the answer.</param>
    public AppendQueue(Func<Action<EventFrameWriter>, Task<EventFrameReader>> send)
    {
        _send = send;
        _loop = Task.Run(RunAsync);
    }

    public Task AppendAsync(
        string streamId,
        IReadOnlyList<EventData> events,
        string? documents,
        CancellationToken ct
    ) => Enqueue(new Item(streamId, events, documents), ct);

    /// <summary>Completes once every append queued before it is answered.</summary>
    public Task FlushAsync(CancellationToken ct) => Enqueue(new Item("", [], null), ct);

    public async ValueTask DisposeAsync()
    {
        _waiting.Writer.TryComplete();
        await _loop.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
    }

    private Task Enqueue(Item item, CancellationToken ct)
    {
        ObjectDisposedException.ThrowIf(!_waiting.Writer.TryWrite(item), this);
        return item.Done.Task.WaitAsync(ct);
    }

    private async Task RunAsync()
    {
        var items = new List<Item>();
        while (await _waiting.Reader.WaitToReadAsync().ConfigureAwait(false))
        {
            items.Clear();
            long bytes = 0;
            while (items.Count < MaxAppends && bytes < MaxBytes && _waiting.Reader.TryRead(out var item))
            {
                items.Add(item);
                foreach (var data in item.Events)
                    bytes += data.Payload.Length;
            }

            await SendAsync(items).ConfigureAwait(false);
        }
    }

    private async Task SendAsync(List<Item> items)
    {
        var appends = items.FindAll(i => i.Events.Count > 0);
        try
        {
            if (appends.Count > 0)
            {
                var answer = await _send(w => Write(w, appends)).ConfigureAwait(false);
                var count = answer.Count();
                if (count != appends.Count)
                    throw new FormatException($"{appends.Count} appends have {count} answers.");
                foreach (var item in appends)
                    Complete(item, (AppendStatus)answer.Int(), answer.Long(), answer.Long(), answer.Text());
            }

            foreach (var item in items)
                item.Done.TrySetResult();
        }
#pragma warning disable CA1031 // The callers get the error, and the queue continues.
        catch (Exception e)
#pragma warning restore CA1031
        {
            foreach (var item in items)
                item.Done.TrySetException(e);
        }
    }

    private static void Write(EventFrameWriter writer, List<Item> appends)
    {
        writer.Int(appends.Count);
        foreach (var item in appends)
        {
            writer.Text(item.StreamId);
            writer.Text(item.Documents ?? "");
            writer.Int(item.Events.Count);
            foreach (var data in item.Events)
                writer.Event(data);
        }
    }

    private static void Complete(Item item, AppendStatus status, long first, long second, string message)
    {
        if (status == AppendStatus.Done)
        {
            item.Done.TrySetResult();
        }
        else
        {
            item.Done.TrySetException(
                status switch
                {
                    AppendStatus.Conflict => new EventConflictException(item.StreamId, first, second),
                    AppendStatus.KeyDestroyed => new StreamKeyDestroyedException(item.StreamId),
                    AppendStatus.Invalid => new InvalidEventException(message),
                    _ => new RemoteDatabaseException("database", message, null),
                }
            );
        }
    }

    private sealed record Item(string StreamId, IReadOnlyList<EventData> Events, string? Documents)
    {
        public TaskCompletionSource Done { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);
    }
}
