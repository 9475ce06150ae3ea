namespace Pipeline.Backups.Manifests;

/// <summary>The result of a verification or drill of a backup.</summary>
/// <param name="Backup">The backup.</param>
/// <param name="Time">When it ran.</param>
/// <param name="Kind">
/// <c>chunks</c> if each chunk was read, <c>restore</c> if the backup was restored and checked.
/// </param>
/// <param name="Ok">Whether nothing was wrong.</param>
/// <param name="Detail">Details.</param>
public sealed record Verification(string Backup, DateTimeOffset Time, string Kind, bool Ok, string Detail);
