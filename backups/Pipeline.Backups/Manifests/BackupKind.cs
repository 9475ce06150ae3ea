using System.Text.Json.Serialization;

namespace Pipeline.Backups.Manifests;

/// <summary>What a backup contains.</summary>
[JsonConverter(typeof(JsonStringEnumConverter<BackupKind>))]
public enum BackupKind
{
    /// <summary>All pages; it needs no other backup.</summary>
    Full,

    /// <summary>All transactions since the previous backup; any of them can be restored to.</summary>
    Incremental,
}
