using Pipeline.Yaml;

namespace Pipeline.Configuration;

/// <summary>The block <c>cluster.log.trim</c>: how much of the log is kept.</summary>
public sealed class LogTrimConfiguration
{
    /// <summary>The interval; zero for never.</summary>
    [Setting(
        "How often a node reports its place in the log. The leader then trims records that all nodes have. 0s never gives up any.",
        Minimum = 0,
        Maximum = 86_400
    )]
    public TimeSpan Every { get; init; } = TimeSpan.FromMinutes(1);

    /// <summary>Records that stay.</summary>
    [Setting(
        "The newest records that stay in any case, for a node that is filled or was away for a while.",
        Minimum = 0,
        Maximum = 1L << 40
    )]
    public long KeepRecords { get; init; } = 100_000;

    /// <summary>After this time a silent node holds nothing.</summary>
    [Setting(
        "A node that has reported nothing for this time holds no records. It is filled from another node when it comes back.",
        Minimum = 1
    )]
    public TimeSpan SilentAfter { get; init; } = TimeSpan.FromDays(7);

    /// <summary>The nodes that must have what goes.</summary>
    [Setting(
        "How many nodes must have a record on their disks before it goes. With fewer nodes nothing goes.",
        Minimum = 1,
        Maximum = 100
    )]
    public int Copies { get; init; } = 2;

    /// <summary>After this time a backup holds nothing.</summary>
    [Setting(
        "A finished backup holds the records that came after it, so that a restored database can continue from the log. A backup that has not finished again for this time holds none. 0s: backups hold none.",
        Minimum = 0
    )]
    public TimeSpan BackupsFor { get; init; } = TimeSpan.FromDays(2);
}
