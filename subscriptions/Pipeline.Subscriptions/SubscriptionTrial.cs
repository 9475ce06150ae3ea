using System.Buffers;
using Pipeline.Database;
using Pipeline.Documents;
using Pipeline.Scripting;

namespace Pipeline.Subscriptions;

/// <summary>A dry run: the documents that a subscription would deliver, without creating it.</summary>
/// <param name="Given">
/// What would be delivered, as JSON: documents with their metadata, or the projection's output.
/// </param>
/// <param name="Failed">Documents for which the filter throws, with the error; they would be parked.</param>
/// <param name="Tried">How many documents were tested.</param>
public sealed record SubscriptionTrial(
    IReadOnlyList<ReadOnlyMemory<byte>> Given,
    IReadOnlyList<(string Id, string Message)> Failed,
    int Tried
)
{
    /// <summary>The documents that would be included, by id; null for a missing one.</summary>
    public IReadOnlyDictionary<string, Document?> Includes { get; private init; } = new Dictionary<string, Document?>();

    /// <summary>
    /// Writes <see cref="Includes"/> as JSON text, as <see cref="SubscriptionBatch.WriteIncludes"/> does.
    /// </summary>
    /// <param name="target">The target.</param>
    public void WriteIncludes(IBufferWriter<byte> target) => ItemText.WriteIncludes(Includes, target);

    /// <summary>Tests a definition on the last documents that it would read.</summary>
    /// <exception cref="SubscriptionException">The definition is invalid.</exception>
    public static SubscriptionTrial Run(
        DocumentDatabase database,
        SubscriptionDefinition definition,
        int last,
        CancellationToken ct = default
    )
    {
        ArgumentNullException.ThrowIfNull(database);
        ArgumentNullException.ThrowIfNull(definition);
        ArgumentOutOfRangeException.ThrowIfLessThan(last, 1);
        SubscriptionHost.Check(database, definition, ct);
        var filter = SubscriptionFilter.Compile(definition, ct);
        var reads = filter.ReadsVersions ? filter.Reads : filter.Reads with { Deletes = false };
        var passed = new List<(Change, Document?)>();
        var given = new List<ReadOnlyMemory<byte>>();
        var failed = new List<(string, string)>();
        using var snapshot = new DatabaseFeedSnapshot(database.OpenSnapshot(), database.Id.ToString());
        var batches = Read(snapshot, filter, reads, last);
        try
        {
            Change[] changes = [.. batches.SelectMany(b => b).Where(c => reads.Takes(c.Collection)).TakeLast(last)];
            foreach (var change in changes)
            {
                try
                {
                    (var previous, var isKnown) = filter.Previous(change, snapshot.Snapshot);
                    if (!filter.Passes(change, previous, snapshot, out var payload, ct))
                        continue;
                    given.Add(
                        !payload.IsEmpty ? payload
                        : filter.ReadsVersions ? Write(snapshot, change, previous, isKnown)
                        : Write(snapshot, change.Position)
                    );
                    if (filter.HasIncludes)
                        passed.Add((change, previous));
                }
                catch (Exception e) when (e is ScriptRuntimeException or ScriptLimitException)
                {
                    failed.Add((change.Id, e.Message));
                }
            }

            var includes = filter.HasIncludes
                ? filter.Include(passed, snapshot.Snapshot)
                : new Dictionary<string, Document?>();
            return new SubscriptionTrial(given, failed, changes.Length) { Includes = includes };
        }
        finally
        {
            foreach (var batch in batches)
                batch.Dispose();
        }
    }

    /// <summary>Reads the last changes: doubles how far it looks back until there are enough.</summary>
    private static List<ChangeBatch> Read(
        DatabaseFeedSnapshot snapshot,
        SubscriptionFilter filter,
        CursorFilter reads,
        int last
    )
    {
        var wanted = reads.ToChangeFilter();
        var after = Math.Max(0, snapshot.LastPosition - last);
        while (true)
        {
            var batches = new List<ChangeBatch>();
            var from = after;
            var count = 0;
            while (true)
            {
                var batch = filter.ReadsVersions
                    ? snapshot.Snapshot.ReadVersions(from, wanted)
                    : snapshot.Snapshot.ReadChanges(from, wanted);
                batches.Add(batch);
                count += batch.Count(c => reads.Takes(c.Collection));
                from = batch.Through;
                if (!batch.HasMore)
                    break;
            }

            if (count >= last || after == 0)
                return batches;
            foreach (var batch in batches)
                batch.Dispose();
            after = Math.Max(0, snapshot.LastPosition - (2 * (snapshot.LastPosition - after)));
        }
    }

    private static ReadOnlyMemory<byte> Write(
        DatabaseFeedSnapshot snapshot,
        in Change change,
        Document? previous,
        bool isKnown
    )
    {
        var buffer = new ArrayBufferWriter<byte>();
        ItemText.WritePair(snapshot.Snapshot, change, previous, isKnown, buffer);
        return buffer.WrittenMemory;
    }

    private static ReadOnlyMemory<byte> Write(DatabaseFeedSnapshot snapshot, long position)
    {
        var buffer = new ArrayBufferWriter<byte>();
        snapshot.TryWriteJson(position, buffer);
        return buffer.WrittenMemory;
    }
}
