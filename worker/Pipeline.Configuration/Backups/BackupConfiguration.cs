using System.Globalization;
using Pipeline.Backups;
using Pipeline.Backups.Chunks;
using Pipeline.Yaml;
using TimeZoneConverter;

namespace Pipeline.Configuration;

/// <summary>One entry of <c>backups</c>.</summary>
public sealed class BackupConfiguration
{
    /// <summary>The name.</summary>
    [Setting(
        "Name of the backup: letters, digits, '-', '_' and '.'. At each destination all its files lie under this name.",
        Required = true
    )]
    public string Name { get; init; } = "";

    /// <summary>The destinations.</summary>
    [Setting(
        "Where backups go: one destination or a list. Each destination has its own state.",
        Required = true,
        AllowsSingle = true
    )]
    public IReadOnlyList<BackupDestinationConfiguration> To { get; init; } = [];

    /// <summary>Which node makes them.</summary>
    [Setting(
        "Which node of a cluster makes the backups: leader, follower or the name of a node. With follower it is the one that has read most of the log. If no such node answers for a minute, the leader makes them.",
        Example = "follower"
    )]
    public string Node { get; init; } = BackupDefinition.AtLeader;

    /// <summary>When full ones are made.</summary>
    [Setting(
        "When full backups are made by 'pipeline run': a cron expression of six or seven fields, seconds first.",
        Example = "0 0 3 ? * SUN"
    )]
    public string? Full { get; init; }

    /// <summary>When incremental ones are made.</summary>
    [Setting(
        "When incremental backups are made. They hold every transaction since the previous backup, and a restore can stop at each of them.",
        Example = "0 0 * * * ?"
    )]
    public string? Incremental { get; init; }

    /// <summary>When drills are done.</summary>
    [Setting(
        "When a drill restores the newest backup into a scratch folder, checks it and deletes it.",
        Example = "0 0 5 ? * MON"
    )]
    public string? Drill { get; init; }

    /// <summary>The zone.</summary>
    [Setting(
        "Time zone of the expressions and blackouts, such as Europe/Berlin. Names of Windows, such as W. Europe Standard Time, work too, on every system. A time that the clock skips in spring begins at the next valid time. A time that comes twice in autumn begins the first time."
    )]
    public string TimeZone { get; init; } = "UTC";

    /// <summary>The jitter.</summary>
    [Setting("Longest random delay before a run, so that many workers do not begin at once.", Minimum = 0)]
    public TimeSpan Jitter { get; init; }

    /// <summary>Missed runs.</summary>
    [Setting(
        "What happens after missed runs. A run is missed if no worker was running, or another run had not ended. runOnce: one run makes up for all of them. skip: none does."
    )]
    public MissedRunPolicy Missed { get; init; } = MissedRunPolicy.RunOnce;

    /// <summary>The blackouts.</summary>
    [Setting(
        "Times of the day at which no run begins, such as 08:00-18:00. A run that is due then begins at the end of that time."
    )]
    public IReadOnlyList<string> Blackouts { get; init; } = [];

    /// <summary>Which stay.</summary>
    [Setting(
        "Which backups are kept; all of them if no rule is given. A full backup is kept as long as an increment needs it."
    )]
    public BackupRetentionConfiguration Retention { get; init; } = new();

    /// <summary>How chunks are compressed.</summary>
    [Setting("How backups are compressed. zstd needs libzstd; without it gzip is used.")]
    public ChunkCompression Compression { get; init; } = ChunkCompression.ZstdFast;

    /// <summary>The backup's own key.</summary>
    [Setting(
        "The key that backups are encrypted with (AES-256-GCM), given by one of the keys below. Without it backups are not encrypted; for an encrypted database that is a fault unless 'plain' is true."
    )]
    public EncryptionConfiguration? Encryption { get; init; }

    /// <summary>Whether backups of an encrypted database may be plain.</summary>
    [Setting(
        "Whether backups of an encrypted database may be unencrypted. Without it such a configuration is a fault.",
        ConflictsWith = ["encryption"]
    )]
    public bool Plain { get; init; }

    /// <summary>The staging folder; absolute after loading.</summary>
    [Setting(
        "A folder, relative to this file, where a backup waits until all of it is read. A slow destination then does not slow the reading. It needs room for the whole backup. Without it a backup is sent while it is read."
    )]
    public string? StagingFolder { get; internal set; }

    /// <summary>How many at once.</summary>
    [Setting(
        "Chunks that are compressed and sent at once. Default: two per processor, and at least eight if a destination is remote.",
        Minimum = 1,
        Maximum = 64
    )]
    public int? Parallel { get; init; }

    /// <summary>The limit of reading.</summary>
    [Setting("Most bytes read per second.", Minimum = 1)]
    public long? MaxBytesPerSecond { get; init; }

    /// <summary>When reading pauses.</summary>
    [Setting(
        "Reading pauses while syncs of the journal take longer than this on average, so that live writes stay quick."
    )]
    public TimeSpan? MaxWriteLatency { get; init; }

    /// <summary>When old backups are a fault.</summary>
    [Setting("The health is degraded when the newest backup at a destination is older than this.")]
    public TimeSpan? MaxAge { get; init; }

    /// <summary>When old verifications are a fault.</summary>
    [Setting("The health is degraded when the last verification or drill of a backup is older than this.")]
    public TimeSpan? MaxVerifiedAge { get; init; }

    /// <summary>The definition of the backups.</summary>
    public BackupDefinition ToDefinition() =>
        new()
        {
            Name = Name,
            Destinations = [.. To.Select(t => t.ToDefinition())],
            Compression = Compression,
            Encryption = Encryption?.ToKey(),
            StagingFolder = StagingFolder,
            Node = Node,
            Parallel = Parallel,
            MaxBytesPerSecond = MaxBytesPerSecond,
            MaxWriteLatency = MaxWriteLatency,
            Retention = Retention.ToPolicy(),
            Schedule = new BackupSchedule
            {
                Full = Full,
                Incremental = Incremental,
                Drill = Drill,
                TimeZone = TZConvert.GetTimeZoneInfo(TimeZone),
                Jitter = Jitter,
                Missed = Missed,
                Blackouts =
                [
                    .. Blackouts.Select(b =>
                        TryParseBlackout(b, out var window)
                            ? window!
                            : throw new FormatException($"'{b}' is not a time of the day such as 08:00-18:00")
                    ),
                ],
                MaxAge = MaxAge,
                MaxVerifiedAge = MaxVerifiedAge,
            },
        };

    internal static bool TryParseBlackout(string text, out BlackoutWindow? window)
    {
        var parts = text.Split('-');
        window =
            parts.Length == 2
            && TimeOnly.TryParseExact(
                parts[0].Trim(),
                "HH:mm",
                CultureInfo.InvariantCulture,
                DateTimeStyles.None,
                out var start
            )
            && TimeOnly.TryParseExact(
                parts[1].Trim(),
                "HH:mm",
                CultureInfo.InvariantCulture,
                DateTimeStyles.None,
                out var end
            )
            && start != end
                ? new BlackoutWindow(start, end)
                : null;
        return window is not null;
    }
}
