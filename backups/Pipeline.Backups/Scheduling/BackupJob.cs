using System.Text.Json.Serialization;

namespace Pipeline.Backups;

/// <summary>A scheduled job.</summary>
[JsonConverter(typeof(JsonStringEnumConverter<BackupJob>))]
public enum BackupJob
{
    /// <summary>A full backup.</summary>
    Full,

    /// <summary>An incremental backup.</summary>
    Incremental,

    /// <summary>A drill.</summary>
    Drill,
}
