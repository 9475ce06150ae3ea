using System.Globalization;
using Pipeline.Backups;
using Pipeline.Backups.Chunks;
using Pipeline.Etl.Connectors;

namespace Pipeline.Etl.Configuration;

/// <summary>One entry of <c>backups</c>.</summary>
public sealed class BackupConfiguration
{
    /// <summary>The name.</summary>
    [Setting("Name of the backup: letters, digits, '-', '_' and '.'. At each destination all lies under it.", Required = true)]
    public string Name { get; init; } = "";

    /// <summary>The destinations.</summary>
    [Setting("Where backups go: one destination, or a list of several, each of which has a state of its own.", Required = true, AllowsSingle = true)]
    public IReadOnlyList<BackupDestinationConfiguration> To { get; init; } = [];

    /// <summary>When full ones are made.</summary>
    [Setting("When full backups are made by 'pipeline run': a cron expression of six or seven fields, seconds first.", Example = "0 0 3 ? * SUN")]
    public string? Full { get; init; }

    /// <summary>When incremental ones are made.</summary>
    [Setting("When incremental backups are made: every transaction since the backup before, to each of which can be restored.", Example = "0 0 * * * ?")]
    public string? Incremental { get; init; }

    /// <summary>When drills are done.</summary>
    [Setting("When the newest backup is restored into a scratch folder, looked at and thrown away.", Example = "0 0 5 ? * MON")]
    public string? Drill { get; init; }

    /// <summary>The zone.</summary>
    [Setting("Time zone of the expressions and blackouts, such as Europe/Berlin. A time that the clock passes over in spring begins at the next one that there is; one that comes twice in autumn begins the first time.")]
    public string TimeZone { get; init; } = "UTC";

    /// <summary>The jitter.</summary>
    [Setting("A run begins up to so much later, by chance, so that many workers do not begin at once.", Minimum = 0)]
    public TimeSpan Jitter { get; init; }

    /// <summary>Missed runs.</summary>
    [Setting("What is done about runs that were missed because no worker ran or another run had not ended: one run for all of them at once, or none.")]
    public MissedRunPolicy Missed { get; init; } = MissedRunPolicy.RunOnce;

    /// <summary>The blackouts.</summary>
    [Setting("Times of the day at which no run begins, such as 08:00-18:00; what would begin then begins at the end.")]
    public IReadOnlyList<string> Blackouts { get; init; } = [];

    /// <summary>Which stay.</summary>
    [Setting("Which backups stay; all where no rule is given. A full one stays as long as an increment needs it.")]
    public BackupRetentionConfiguration Retention { get; init; } = new();

    /// <summary>How chunks are compressed.</summary>
    [Setting("How backups are compressed. zstd needs libzstd; gzip is taken where it is missing.")]
    public ChunkCompression Compression { get; init; } = ChunkCompression.ZstdFast;

    /// <summary>The backup's own key.</summary>
    [Setting("The key that backups are encrypted under (AES-256-GCM), by one of the keys below. Without it they are plain, also those of an encrypted database, unless 'plain' says that this is meant.")]
    public EncryptionConfiguration? Encryption { get; init; }

    /// <summary>Whether backups of an encrypted database may be plain.</summary>
    [Setting("Backups of an encrypted database are not encrypted; without it such a configuration is a fault.", ConflictsWith = ["encryption"])]
    public bool Plain { get; init; }

    /// <summary>The staging folder; absolute after loading.</summary>
    [Setting("A folder, relative to this file, that a backup is written to first, and sent from when all is read: a slow destination then holds back no reading. It needs room for what a backup sends. Without it a backup is sent while it is read.")]
    public string? StagingFolder { get; internal set; }

    /// <summary>How many at once.</summary>
    [Setting("Chunks that are compressed and sent at once; two for each processor where not given, at least eight where a destination is remote.", Minimum = 1, Maximum = 64)]
    public int? Parallel { get; init; }

    /// <summary>The limit of reading.</summary>
    [Setting("The most bytes that are read in a second.", Minimum = 1)]
    public long? MaxBytesPerSecond { get; init; }

    /// <summary>When reading pauses.</summary>
    [Setting("Reading pauses while syncs of the journal take longer than this on average, so that live writes stay quick.")]
    public TimeSpan? MaxWriteLatency { get; init; }

    /// <summary>When old backups are a fault.</summary>
    [Setting("The health is degraded when the newest backup at a destination is older.")]
    public TimeSpan? MaxAge { get; init; }

    /// <summary>When old verifications are a fault.</summary>
    [Setting("The health is degraded when the last verification or drill of a backup is longer ago.")]
    public TimeSpan? MaxVerifiedAge { get; init; }

    /// <summary>What the backups are made by.</summary>
    public BackupDefinition ToDefinition() => new()
    {
        Name = Name,
        Destinations = [.. To.Select(t => t.ToDefinition())],
        Compression = Compression,
        Encryption = Encryption is null ? null : new Storage.StorageEncryption { KeyFile = Encryption.KeyFile, KeyVariable = Encryption.KeyVariable, KeyCommand = Encryption.KeyCommand },
        StagingFolder = StagingFolder,
        Parallel = Parallel,
        MaxBytesPerSecond = MaxBytesPerSecond,
        MaxWriteLatency = MaxWriteLatency,
        Retention = Retention.ToPolicy(),
        Schedule = new BackupSchedule
        {
            Full = Full, Incremental = Incremental, Drill = Drill, TimeZone = TimeZoneInfo.FindSystemTimeZoneById(TimeZone), Jitter = Jitter, Missed = Missed,
            Blackouts = [.. Blackouts.Select(b => TryParseBlackout(b, out var window) ? window! : throw new FormatException($"'{b}' is no time of the day such as 08:00-18:00"))],
            MaxAge = MaxAge, MaxVerifiedAge = MaxVerifiedAge,
        },
    };

    internal static bool TryParseBlackout(string text, out BlackoutWindow? window)
    {
        string[] parts = text.Split('-');
        window = parts.Length == 2 && TimeOnly.TryParseExact(parts[0].Trim(), "HH:mm", CultureInfo.InvariantCulture, DateTimeStyles.None, out TimeOnly start)
            && TimeOnly.TryParseExact(parts[1].Trim(), "HH:mm", CultureInfo.InvariantCulture, DateTimeStyles.None, out TimeOnly end) && start != end ? new BlackoutWindow(start, end) : null;
        return window is not null;
    }
}
