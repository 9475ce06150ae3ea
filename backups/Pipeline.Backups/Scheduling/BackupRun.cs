namespace Pipeline.Backups;

/// <summary>A run of a job, in the history that the database keeps.</summary>
/// <param name="Name">The backup's name.</param>
/// <param name="Job">What was done.</param>
/// <param name="Scheduled">When it was due; null for a run on request.</param>
/// <param name="Started">When it began.</param>
/// <param name="Ended">When it ended.</param>
/// <param name="Destinations">What it came to at each destination.</param>
public sealed record BackupRun(string Name, BackupJob Job, DateTimeOffset? Scheduled, DateTimeOffset Started, DateTimeOffset Ended, IReadOnlyList<BackupRunResult> Destinations)
{
    /// <summary>Whether it was done at every destination.</summary>
    public bool Ok => Destinations.All(d => d.Error is null);
}
