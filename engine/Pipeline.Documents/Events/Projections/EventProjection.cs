using System.Buffers.Binary;

namespace Pipeline.Documents.Events;

/// <summary>
/// Makes documents from events and applies each event exactly once, even if the process is killed: one commit holds an
/// event's changes and the progress. Only one run per name at a time.
/// </summary>
/// <param name="database">The database that has the events and receives the documents.</param>
/// <param name="name">The name under which the progress is kept.</param>
/// <param name="apply">
/// Applies an event. Runs on the committing thread, so it should be short. It may run again, so it must have effects
/// only through the transaction. An event whose key was destroyed comes without payload.
/// </param>
/// <param name="filter">The filter for events; null for all.</param>
public sealed class EventProjection(
    DocumentStorage database,
    string name,
    Action<DocumentTransaction, StoredEvent> apply,
    EventFilter? filter = null
)
{
    private static readonly ChangeLimits Batch = new(256, 1024 * 1024);

    /// <summary>The position up to which every wanted event is applied.</summary>
    public long Position
    {
        get
        {
            using var snapshot = database.OpenSnapshot("projection");
            return Read(snapshot.GetState(Key));
        }
    }

    private string Key => "projections/" + name;

    /// <summary>Applies the events after the progress, and then each new one at its commit.</summary>
    /// <param name="untilCurrent">Whether to end when there are no more.</param>
    /// <param name="ct">Ends it with an <see cref="OperationCanceledException"/>.</param>
    /// <returns>The number of applied events.</returns>
    /// <exception cref="EventProjectionException">
    /// An event could not be applied, so its whole batch was rolled back. The next run begins with this batch.
    /// </exception>
    public async Task<long> RunAsync(bool untilCurrent = false, CancellationToken ct = default)
    {
        long position = Position,
            applied = 0;
        while (true)
        {
            ct.ThrowIfCancellationRequested();
            using (var batch = database.Events.Read(position, filter, Batch))
            {
                if (batch.Count > 0)
                {
                    await database
                        .WriteAsync(t => Apply(t, batch, position), CancellationToken.None)
                        .ConfigureAwait(false);
                    applied += batch.Count;
                }

                position = batch.Through;
                if (batch.HasMore)
                    continue;
            }

            if (untilCurrent)
                return applied;
            await database.WaitForChangeAsync(position, ct).ConfigureAwait(false);
        }
    }

    private void Apply(DocumentTransaction transaction, EventBatch batch, long expected)
    {
        // What lies between the kept progress and the expected one holds no wanted event: such progress is not written.
        if (Read(transaction.GetState(Key)) > expected)
        {
            throw new InvalidOperationException(
                $"The projection '{name}' of database '{database.Name}' runs more than once: its progress is at {Read(transaction.GetState(Key))}, behind {expected}. Run each name once."
            );
        }

        foreach (var item in batch)
        {
            try
            {
                apply(transaction, item);
            }
            catch (Exception e) when (e is not OperationCanceledException)
            {
                throw new EventProjectionException(name, item, e);
            }
        }

        Span<byte> progress = stackalloc byte[8];
        BinaryPrimitives.WriteInt64LittleEndian(progress, batch[^1].Position);
        transaction.SetState(Key, progress);
    }

    private static long Read(byte[]? state) =>
        state is { Length: 8 } ? BinaryPrimitives.ReadInt64LittleEndian(state) : 0;
}
