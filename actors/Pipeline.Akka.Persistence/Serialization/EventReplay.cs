using System.Threading.Channels;
using Akka.Persistence;
using Pipeline.Akka.Persistence.Connections;
using Pipeline.Documents;
using Pipeline.Documents.Events;

namespace Pipeline.Akka.Persistence.Serialization;

/// <summary>
/// Replays events of a stream: parts are read ahead, deserialized on several threads, and delivered in order. Memory
/// holds at most as many parts as there are processors, plus two. Thread-safe.
/// </summary>
/// <param name="codec">The deserializer.</param>
/// <param name="part">The size of a part.</param>
internal sealed class EventReplay(EventCodec codec, ChangeLimits part)
{
    /// <summary>Delivers events to an actor.</summary>
    /// <param name="connection">The event store.</param>
    /// <param name="range">Which events to deliver.</param>
    /// <param name="deliver">Receives the events in order, one at a time.</param>
    /// <param name="ct">Cancels it.</param>
    /// <returns>How many events there were.</returns>
    /// <exception cref="StreamKeyDestroyedException">The events can no longer be read.</exception>
    internal async Task<long> RunAsync(
        IEventConnection connection,
        ReplayRange range,
        Action<IPersistentRepresentation> deliver,
        CancellationToken ct
    )
    {
        // Runs off the caller's thread, so that a long replay does not block others.
        await Task.Yield();
        var first = await ReadAsync(connection, range, ct).ConfigureAwait(false);
        var rest = range.After(first);
        if (rest.IsEmpty)
            return Deliver(Decode(first), deliver);

        using var stop = CancellationTokenSource.CreateLinkedTokenSource(ct);
        var parts = Channel.CreateBounded<Task<Persistent[]>>(
            new BoundedChannelOptions(Environment.ProcessorCount) { SingleReader = true, SingleWriter = true }
        );
        var reading = ReadAllAsync(connection, first, rest, parts.Writer, stop.Token);
        try
        {
            long count = 0;
            await foreach (var decoded in parts.Reader.ReadAllAsync(ct).ConfigureAwait(false))
                count += Deliver(await decoded.ConfigureAwait(false), deliver);
            return count;
        }
        finally
        {
            await stop.CancelAsync().ConfigureAwait(false);
            await reading.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            while (parts.Reader.TryRead(out var left))
                await ((Task)left).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
    }

    private static int Deliver(Persistent[] events, Action<IPersistentRepresentation> deliver)
    {
        foreach (var item in events)
            deliver(item);
        return events.Length;
    }

    private async Task ReadAllAsync(
        IEventConnection connection,
        EventBatch first,
        ReplayRange rest,
        ChannelWriter<Task<Persistent[]>> parts,
        CancellationToken ct
    )
    {
        try
        {
            for (
                var batch = first;
                ;
                batch = await ReadAsync(connection, rest, ct).ConfigureAwait(false), rest = rest.After(batch)
            )
            {
                var read = batch;
                await parts.WriteAsync(Task.Run(() => Decode(read), CancellationToken.None), ct).ConfigureAwait(false);
                if (rest.IsEmpty)
                    break;
            }

            parts.Complete();
        }
#pragma warning disable CA1031 // The reader of the parts gets the error.
        catch (Exception e)
#pragma warning restore CA1031
        {
            parts.Complete(e);
        }
    }

    private Task<EventBatch> ReadAsync(IEventConnection connection, ReplayRange range, CancellationToken ct) =>
        connection.ReadStreamAsync(
            range.StreamId,
            range.From,
            range.To,
            part with
            {
                MaxCount = (int)Math.Min(part.MaxCount, range.Most),
            },
            ct
        );

    private Persistent[] Decode(EventBatch batch)
    {
        using (batch)
            return codec.Decode(batch);
    }
}
