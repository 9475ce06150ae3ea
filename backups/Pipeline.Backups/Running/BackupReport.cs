namespace Pipeline.Backups.Running;

/// <summary>What a run came to.</summary>
/// <param name="Name">The backup's name.</param>
/// <param name="Duration">How long it took.</param>
/// <param name="Destinations">Each destination.</param>
public sealed record BackupReport(string Name, TimeSpan Duration, IReadOnlyList<DestinationReport> Destinations)
{
    /// <summary>Whether it is at every destination.</summary>
    public bool Succeeded => Destinations.All(d => d.Error is null);
}
