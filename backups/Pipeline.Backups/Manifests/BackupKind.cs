using System.Text.Json.Serialization;

namespace Pipeline.Backups.Manifests;

/// <summary>What a backup holds.</summary>
[JsonConverter(typeof(JsonStringEnumConverter<BackupKind>))]
public enum BackupKind
{
    /// <summary>All pages; it needs no other.</summary>
    Full,

    /// <summary>All transactions since the backup before it, each of which can be restored to.</summary>
    Incremental,
}
