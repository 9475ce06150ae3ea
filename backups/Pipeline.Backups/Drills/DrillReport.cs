namespace Pipeline.Backups.Drills;

/// <summary>The result of a drill at one destination.</summary>
/// <param name="Destination">Kind and place.</param>
/// <param name="Backup">The backup that was restored; null if the destination has none.</param>
/// <param name="Documents">Documents in it.</param>
/// <param name="Position">The position that it reaches.</param>
/// <param name="Compared">Documents compared with the live database's.</param>
/// <param name="Bytes">Bytes of content.</param>
/// <param name="Duration">How long it took.</param>
/// <param name="Problem">What is wrong; null if nothing is.</param>
public sealed record DrillReport(
    string Destination,
    string? Backup,
    long Documents,
    long Position,
    int Compared,
    long Bytes,
    TimeSpan Duration,
    string? Problem
);
