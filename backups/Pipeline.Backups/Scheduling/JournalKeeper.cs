using Pipeline.Storage;

namespace Pipeline.Backups;

/// <summary>
/// Keeps the journal of a node of a cluster from before the last transaction of each newest backup on, whichever node
/// has made it. So the next backup continues it, whichever node makes that. Thread-safe.
/// </summary>
/// <remarks>
/// The transaction is known only after the backup has ended. So the keeper remembers where the journal stood at some
/// moments, and moves a hold to the last of them that is early enough. A hold that is too early is right, and costs
/// space only.
/// </remarks>
internal sealed class JournalKeeper(StorageEnvironment storage, TimeProvider time)
{
    /// <summary>How much is kept before the first backup, so that its beginning is noticed in time.</summary>
    private static readonly TimeSpan BeforeFirst = TimeSpan.FromMinutes(1);

    private const int MaxSamples = 256;
    private readonly Lock _gate = new();
    private readonly List<(LogPosition At, long Seen)> _samples = [];
    private readonly Dictionary<string, long> _advanced = new(StringComparer.Ordinal);

    /// <summary>
    /// Begins to keep the journal for a backup that a run of this node is about to read, and waits for
    /// <see cref="Look"/>, which moves no hold after that as long as the run is known to it.
    /// </summary>
    public void Prepare(string hold)
    {
        lock (_gate)
        {
            if (!storage.LogHolds.Any(h => h.Name == hold))
                storage.HoldLog(hold);
        }
    }

    /// <summary>Notes where the journal stands, and moves the holds as far as they may.</summary>
    /// <param name="needs">What the backups need.</param>
    /// <param name="runs">Whether a run of this node reads the journal for a backup now.</param>
    public void Look(IEnumerable<JournalNeed> needs, Func<string, bool> runs)
    {
        lock (_gate)
        {
            Sample();
            foreach (var need in needs)
            {
                var held = storage.LogHolds.FirstOrDefault(h => h.Name == need.Hold);
                if (held is null)
                    storage.HoldLog(need.Hold);
                else if (!runs(need.Backup))
                    Move(need, held.Position.Transaction);
            }
        }
    }

    private void Sample()
    {
        if (_samples.Count > 0 && _samples[^1].At.Transaction == storage.LastCommittedTransaction)
            return;
        using (var reader = storage.BeginRead("backup hold"))
            _samples.Add((reader.LogPosition, time.GetTimestamp()));
        if (_samples.Count < MaxSamples)
            return;
        for (var i = _samples.Count - 2; i > 0; i -= 2)
            _samples.RemoveAt(i);
    }

    /// <summary>
    /// Moves a hold to the last known place before the newest backup's last transaction, which thus stays in the journal.
    /// Only durable places count: after a crash, other transactions may take places that were not durable.
    /// </summary>
    private void Move(JournalNeed need, long held)
    {
        // Without a backup the hold follows the writes; each move syncs a file, so it moves seldom.
        if (need.Through is null && (need.Begun || HasAdvanced(need.Hold)))
            return;
        var durable = storage.DurableTransaction;
        for (var i = _samples.Count - 1; i >= 0 && _samples[i].At.Transaction > held; i--)
        {
            var (at, seen) = _samples[i];
            var isEarly = need.Through is { } through
                ? at.Transaction < through
                : time.GetElapsedTime(seen) >= BeforeFirst;
            if (!isEarly || at.Transaction > durable)
                continue;
            storage.HoldLog(need.Hold, at);
            if (need.Through is null)
                _advanced[need.Hold] = time.GetTimestamp();
            return;
        }
    }

    private bool HasAdvanced(string hold) =>
        _advanced.TryGetValue(hold, out var at) && time.GetElapsedTime(at) < BeforeFirst;
}
