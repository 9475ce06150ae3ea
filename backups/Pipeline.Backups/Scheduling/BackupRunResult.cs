using System.Text.Json.Serialization;

namespace Pipeline.Backups;

/// <summary>The result of a run at one destination.</summary>
/// <param name="Destination">Kind and place.</param>
/// <param name="Backup">The backup that was made or checked.</param>
/// <param name="Error">Why it failed; null if it succeeded.</param>
/// <param name="ContentBytes">Bytes of its content.</param>
/// <param name="StoredBytes">Bytes stored.</param>
/// <param name="SentBytes">Bytes sent.</param>
public sealed record BackupRunResult(
    string Destination,
    string? Backup,
    string? Error,
    long ContentBytes,
    long StoredBytes,
    long SentBytes
)
{
    /// <summary>The last transaction of the backup; 0 if there is none, or for a run of an older program.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingDefault)]
    public long Transaction { get; init; }
}
