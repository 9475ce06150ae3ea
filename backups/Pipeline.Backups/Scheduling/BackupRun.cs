namespace Pipeline.Backups;

/// <summary>A run of a job, in the history stored in the database.</summary>
/// <param name="Name">The backup's name.</param>
/// <param name="Job">The job.</param>
/// <param name="Scheduled">When it was due; null for a run on request.</param>
/// <param name="Started">When it started.</param>
/// <param name="Ended">When it ended.</param>
/// <param name="Destinations">The result at each destination.</param>
public sealed record BackupRun(
    string Name,
    BackupJob Job,
    DateTimeOffset? Scheduled,
    DateTimeOffset Started,
    DateTimeOffset Ended,
    IReadOnlyList<BackupRunResult> Destinations
)
{
    /// <summary>Whether it succeeded at every destination.</summary>
    public bool Ok => Destinations.All(d => d.Error is null);
}
