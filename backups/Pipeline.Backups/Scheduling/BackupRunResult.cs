namespace Pipeline.Backups;

/// <summary>What a run came to at one destination.</summary>
/// <param name="Destination">Kind and place.</param>
/// <param name="Backup">The backup that was made or looked at.</param>
/// <param name="Error">Why it failed; null where it did not.</param>
/// <param name="ContentBytes">Bytes of its content.</param>
/// <param name="StoredBytes">Bytes stored.</param>
/// <param name="SentBytes">Bytes sent.</param>
public sealed record BackupRunResult(string Destination, string? Backup, string? Error, long ContentBytes, long StoredBytes, long SentBytes);
