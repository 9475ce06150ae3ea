using Pipeline.Backups.Running;

namespace Pipeline.Backups;

/// <summary>What a backup of a cluster needs each node's journal for.</summary>
/// <param name="Backup">The backup's name.</param>
/// <param name="Through">The last transaction of its newest backup; null if none has finished.</param>
/// <param name="Begun">Whether a run has begun that the history does not have yet.</param>
internal sealed record JournalNeed(string Backup, long? Through, bool Begun)
{
    /// <summary>What a backup needs as of the history.</summary>
    public static JournalNeed Of(
        string backup,
        IReadOnlyList<BackupRun> history,
        IReadOnlyDictionary<string, DateTimeOffset> begun
    )
    {
        var runs = history.Where(r => r.Name == backup && r.Job != BackupJob.Drill).ToList();
        var isRunning = begun.TryGetValue(backup, out var at) && (runs.Count == 0 || runs[^1].Started < at);
        long? through = null;
        // A destination that has never got a backup has none to be continued.
        foreach (var place in runs.Count == 0 ? [] : runs[^1].Destinations)
        {
            var last = runs.SelectMany(r => r.Destinations)
                .LastOrDefault(d => d.Destination == place.Destination && d is { Error: null, Transaction: > 0 });
            if (last is not null && (through is null || last.Transaction < through))
                through = last.Transaction;
        }
        return new JournalNeed(backup, through, isRunning);
    }

    /// <summary>The name of the hold.</summary>
    public string Hold => BackupRunner.SharedHoldName(Backup);
}
