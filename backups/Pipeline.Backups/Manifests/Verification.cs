namespace Pipeline.Backups.Manifests;

/// <summary>What a verification or a drill of a backup found.</summary>
/// <param name="Backup">The backup.</param>
/// <param name="Time">When.</param>
/// <param name="Kind"><c>chunks</c> where each chunk was read, <c>restore</c> where it was restored and looked at.</param>
/// <param name="Ok">Whether all was well.</param>
/// <param name="Detail">What was seen.</param>
public sealed record Verification(string Backup, DateTimeOffset Time, string Kind, bool Ok, string Detail);
