namespace Pipeline.Backups.Drills;

/// <summary>What a drill found at one destination.</summary>
/// <param name="Destination">Kind and place.</param>
/// <param name="Backup">The backup that was restored; null where there is none.</param>
/// <param name="Documents">Documents in it.</param>
/// <param name="Position">The position that it reaches.</param>
/// <param name="Compared">Documents that were compared with the live database's.</param>
/// <param name="Bytes">Bytes of content.</param>
/// <param name="Duration">How long it took.</param>
/// <param name="Problem">What is wrong; null where all is well.</param>
public sealed record DrillReport(string Destination, string? Backup, long Documents, long Position, int Compared, long Bytes, TimeSpan Duration, string? Problem);
