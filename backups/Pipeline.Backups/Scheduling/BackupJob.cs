using System.Text.Json.Serialization;

namespace Pipeline.Backups;

/// <summary>What is done on schedule.</summary>
[JsonConverter(typeof(JsonStringEnumConverter<BackupJob>))]
public enum BackupJob
{
    /// <summary>A full backup.</summary>
    Full,

    /// <summary>An incremental one.</summary>
    Incremental,

    /// <summary>A drill.</summary>
    Drill,
}
