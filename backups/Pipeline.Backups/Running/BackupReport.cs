namespace Pipeline.Backups.Running;

/// <summary>The result of a run.</summary>
/// <param name="Name">The backup's name.</param>
/// <param name="Duration">How long it took.</param>
/// <param name="Destinations">The result at each destination.</param>
public sealed record BackupReport(string Name, TimeSpan Duration, IReadOnlyList<DestinationReport> Destinations)
{
    /// <summary>Whether the backup succeeded at every destination.</summary>
    public bool Succeeded => Destinations.All(d => d.Error is null);
}
