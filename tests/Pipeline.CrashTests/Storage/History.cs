using System.Collections.Concurrent;

namespace Pipeline.CrashTests.Storage;

/// <summary>
/// An acknowledged write: its place in the order of all writes, its transaction, the keys it read and wrote, and its
/// time.
/// </summary>
/// <param name="Order">The number that it gave itself, by reading and writing a counter in its transaction.</param>
/// <param name="Transaction">The transaction that it was merged into.</param>
/// <param name="Reads">The keys it read, each with the order of the write that it found there, 0 for none.</param>
/// <param name="Writes">The keys it wrote.</param>
/// <param name="Started">Before it was handed over.</param>
/// <param name="Ended">After it was acknowledged.</param>
internal sealed record HistoryWrite(
    long Order,
    long Transaction,
    (int Key, long Writer)[] Reads,
    int[] Writes,
    long Started,
    long Ended
);

/// <summary>What a snapshot showed: all keys, each with the order of the write found there.</summary>
/// <param name="Order">The counter.</param>
/// <param name="Transaction">The snapshot's transaction.</param>
/// <param name="Writers">By key.</param>
/// <param name="Started">Before it was opened.</param>
internal sealed record HistorySnapshot(long Order, long Transaction, long[] Writers, long Started);

/// <summary>
/// What clients saw of a store, and whether one order of events explains it: writes one after the other, each seeing
/// all before it (strict serializability), snapshots each between two transactions and not before anything acknowledged
/// earlier. As writes number themselves, the order need not be searched for. Thread-safe while it is recorded.
/// </summary>
internal sealed class History
{
    private readonly ConcurrentQueue<HistoryWrite> _writes = new();
    private readonly ConcurrentQueue<HistorySnapshot> _snapshots = new();

    public int Writes => _writes.Count;

    public int Snapshots => _snapshots.Count;

    public void Add(HistoryWrite write) => _writes.Enqueue(write);

    public void Add(HistorySnapshot snapshot) => _snapshots.Enqueue(snapshot);

    /// <summary>The first contradiction, or null.</summary>
    public string? Check(int keys)
    {
        var writes = _writes.OrderBy(w => w.Order).ToArray();
        var snapshots = new Queue<HistorySnapshot>(_snapshots.OrderBy(s => s.Order));
        var state = new long[keys];
        var latestStart = long.MinValue;
        for (var i = 0; i <= writes.Length; i++)
        {
            for (; snapshots.TryPeek(out var snapshot) && snapshot.Order == i; snapshots.Dequeue())
            {
                if (CheckSnapshot(snapshot, state, writes, i) is { } fault)
                    return fault;
            }
            if (i == writes.Length)
                break;
            var write = writes[i];
            if (write.Order != i + 1)
                return $"write {i + 1} is missing or was done twice: {write.Order} follows {i}";
            if (i > 0 && write.Transaction < writes[i - 1].Transaction)
                return $"write {write.Order} is in transaction {write.Transaction}, the one before it in {writes[i - 1].Transaction}";
            if (write.Ended < latestStart)
                return $"write {write.Order} was acknowledged before one began that is ordered before it";
            foreach (var (key, writer) in write.Reads)
            {
                if (state[key] != writer)
                    return $"write {write.Order} read key {key} as of write {writer}, write {state[key]} was the last there";
            }
            latestStart = Math.Max(latestStart, write.Started);
            foreach (var key in write.Writes)
                state[key] = write.Order;
        }
        return snapshots.TryPeek(out var late)
            ? $"a snapshot shows write {late.Order}, which nobody made"
            : CheckAges(writes);
    }

    private static string? CheckSnapshot(HistorySnapshot snapshot, long[] state, HistoryWrite[] writes, int count)
    {
        for (var key = 0; key < state.Length; key++)
        {
            if (snapshot.Writers[key] != state[key])
                return $"the snapshot of transaction {snapshot.Transaction} shows key {key} as of write {snapshot.Writers[key]}, but {state[key]} was the last up to write {count}";
        }
        if (count > 0 && writes[count - 1].Transaction > snapshot.Transaction)
            return $"the snapshot of transaction {snapshot.Transaction} shows write {count} of transaction {writes[count - 1].Transaction}";
        return count < writes.Length && writes[count].Transaction <= snapshot.Transaction
            ? $"the snapshot of transaction {snapshot.Transaction} does not show write {count + 1} of transaction {writes[count].Transaction}"
            : null;
    }

    /// <summary>A snapshot shows all that was acknowledged before it was opened.</summary>
    private string? CheckAges(HistoryWrite[] writes)
    {
        var acknowledged = new Queue<HistoryWrite>(writes.OrderBy(w => w.Ended));
        var highest = 0L;
        foreach (var snapshot in _snapshots.OrderBy(s => s.Started))
        {
            while (acknowledged.TryPeek(out var write) && write.Ended < snapshot.Started)
                highest = Math.Max(highest, acknowledged.Dequeue().Order);
            if (snapshot.Order < highest)
                return $"a snapshot shows up to write {snapshot.Order}, though {highest} was acknowledged before it was opened";
        }
        return null;
    }
}
