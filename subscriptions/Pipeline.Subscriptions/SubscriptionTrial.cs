using System.Buffers;
using Pipeline.Database;
using Pipeline.Database.Scripts;

namespace Pipeline.Subscriptions;

/// <summary>What a subscription would give, found out without making it.</summary>
/// <param name="Given">What would be given, as JSON: documents with their metadata, or what the projection makes.</param>
/// <param name="Failed">Documents for which the filter throws, which would be parked, with the error.</param>
/// <param name="Tried">How many documents were tried.</param>
public sealed record SubscriptionTrial(IReadOnlyList<ReadOnlyMemory<byte>> Given, IReadOnlyList<(string Id, string Message)> Failed, int Tried)
{
    /// <summary>Tries a definition on the last documents that it would read.</summary>
    /// <exception cref="SubscriptionException">The definition cannot be one.</exception>
    public static SubscriptionTrial Run(DocumentDatabase database, SubscriptionDefinition definition, int last, CancellationToken ct = default)
    {
        ArgumentNullException.ThrowIfNull(database);
        ArgumentNullException.ThrowIfNull(definition);
        ArgumentOutOfRangeException.ThrowIfLessThan(last, 1);
        definition.Validate(ct);
        SubscriptionFilter filter = SubscriptionFilter.Compile(definition, ct);
        CursorFilter reads = filter.Reads with { Deletes = false };
        var given = new List<ReadOnlyMemory<byte>>();
        var failed = new List<(string, string)>();
        using var snapshot = new DatabaseFeedSnapshot(database.OpenSnapshot(), database.Id.ToString());
        List<ChangeBatch> batches = Read(snapshot, reads, last);
        try
        {
            Change[] changes = [.. batches.SelectMany(b => b).Where(c => reads.Takes(c.Collection)).TakeLast(last)];
            foreach (Change change in changes)
            {
                try
                {
                    if (!filter.Passes(change, snapshot, out ReadOnlyMemory<byte> payload, ct)) continue;
                    given.Add(payload.IsEmpty ? Write(snapshot, change.Position) : payload);
                }
                catch (Exception e) when (e is ScriptRuntimeException or ScriptLimitException)
                {
                    failed.Add((change.Id, e.Message));
                }
            }

            return new SubscriptionTrial(given, failed, changes.Length);
        }
        finally
        {
            foreach (ChangeBatch batch in batches) batch.Dispose();
        }
    }

    /// <summary>The last changes: from so far back, doubling, that there are enough.</summary>
    private static List<ChangeBatch> Read(DatabaseFeedSnapshot snapshot, CursorFilter reads, int last)
    {
        ChangeFilter wanted = reads.ToChangeFilter();
        long after = Math.Max(0, snapshot.LastPosition - last);
        while (true)
        {
            var batches = new List<ChangeBatch>();
            long from = after;
            int count = 0;
            while (true)
            {
                ChangeBatch batch = snapshot.Snapshot.ReadChanges(from, wanted);
                batches.Add(batch);
                count += batch.Count(c => reads.Takes(c.Collection));
                from = batch.Through;
                if (!batch.HasMore) break;
            }

            if (count >= last || after == 0) return batches;
            foreach (ChangeBatch batch in batches) batch.Dispose();
            after = Math.Max(0, snapshot.LastPosition - (2 * (snapshot.LastPosition - after)));
        }
    }

    private static ReadOnlyMemory<byte> Write(DatabaseFeedSnapshot snapshot, long position)
    {
        var buffer = new ArrayBufferWriter<byte>();
        snapshot.TryWriteJson(position, buffer);
        return buffer.WrittenMemory;
    }
}
