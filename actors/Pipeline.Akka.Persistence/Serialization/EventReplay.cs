using System.Threading.Channels;
using Akka.Persistence;
using Pipeline.Akka.Persistence.Connections;
using Pipeline.Database;
using Pipeline.Database.Events;

namespace Pipeline.Akka.Persistence.Serialization;

/// <summary>
/// Replays events of a stream: parts are read ahead and deserialized on several threads, and delivered in order. At most as many parts as there are processors, and two, are in memory. Thread-safe.
/// </summary>
/// <param name="codec">What deserializes.</param>
/// <param name="part">How much a part has.</param>
internal sealed class EventReplay(EventCodec codec, ChangeLimits part)
{
    /// <summary>Gives events to an actor.</summary>
    /// <param name="connection">Where they are.</param>
    /// <param name="range">Which of them.</param>
    /// <param name="deliver">Takes them, in order, one after the other.</param>
    /// <param name="ct">Ends it.</param>
    /// <returns>How many there were.</returns>
    /// <exception cref="StreamKeyDestroyedException">They can be read no more.</exception>
    internal async Task<long> RunAsync(IEventConnection connection, ReplayRange range, Action<IPersistentRepresentation> deliver, CancellationToken ct)
    {
        // Off the caller's thread: a long replay is no reason for others to wait.
        await Task.Yield();
        EventBatch first = await ReadAsync(connection, range, ct).ConfigureAwait(false);
        ReplayRange rest = range.After(first);
        if (rest.IsEmpty) return Deliver(Decode(first), deliver);

        using var stop = CancellationTokenSource.CreateLinkedTokenSource(ct);
        var parts = Channel.CreateBounded<Task<Persistent[]>>(new BoundedChannelOptions(Environment.ProcessorCount) { SingleReader = true, SingleWriter = true });
        Task reading = ReadAllAsync(connection, first, rest, parts.Writer, stop.Token);
        try
        {
            long count = 0;
            await foreach (Task<Persistent[]> decoded in parts.Reader.ReadAllAsync(ct).ConfigureAwait(false)) count += Deliver(await decoded.ConfigureAwait(false), deliver);
            return count;
        }
        finally
        {
            await stop.CancelAsync().ConfigureAwait(false);
            await reading.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            while (parts.Reader.TryRead(out Task<Persistent[]>? left)) await ((Task)left).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
    }

    private static int Deliver(Persistent[] events, Action<IPersistentRepresentation> deliver)
    {
        foreach (Persistent item in events) deliver(item);
        return events.Length;
    }

    private async Task ReadAllAsync(IEventConnection connection, EventBatch first, ReplayRange rest, ChannelWriter<Task<Persistent[]>> parts, CancellationToken ct)
    {
        try
        {
            for (EventBatch batch = first; ; batch = await ReadAsync(connection, rest, ct).ConfigureAwait(false), rest = rest.After(batch))
            {
                EventBatch read = batch;
                await parts.WriteAsync(Task.Run(() => Decode(read), CancellationToken.None), ct).ConfigureAwait(false);
                if (rest.IsEmpty) break;
            }

            parts.Complete();
        }
#pragma warning disable CA1031 // Whatever it is, who takes the parts is told.
        catch (Exception e)
#pragma warning restore CA1031
        {
            parts.Complete(e);
        }
    }

    private Task<EventBatch> ReadAsync(IEventConnection connection, ReplayRange range, CancellationToken ct) =>
        connection.ReadStreamAsync(range.StreamId, range.From, range.To, part with { MaxCount = (int)Math.Min(part.MaxCount, range.Most) }, ct);

    private Persistent[] Decode(EventBatch batch)
    {
        using (batch) return codec.Decode(batch);
    }
}
