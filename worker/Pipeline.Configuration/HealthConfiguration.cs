using Pipeline.Yaml;

namespace Pipeline.Configuration;

/// <summary>
/// The block <c>health</c>: when slow consumers of changes, or a disk that fills, make the worker's health degraded.
/// </summary>
public sealed class HealthConfiguration
{
    /// <summary>The share of a limit of lag.</summary>
    [Setting("The health is degraded from this percentage of a 'maxLag' limit on.", Minimum = 1, Maximum = 100)]
    public int LagPercent { get; init; } = 80;

    /// <summary>The share of the free disk space.</summary>
    [Setting(
        "Limit of the data kept for one consumer of changes, in percent of the free disk space. Beyond it the health is degraded.",
        Minimum = 1,
        Maximum = 100
    )]
    public int DiskPercent { get; init; } = 10;

    /// <summary>Free bytes of a disk under which the health is degraded.</summary>
    [Setting(
        "The health is degraded when the disk of the data or the journal has less free space than this; 0 for never. The worker is not ready when the file cannot grow by its next step.",
        Minimum = 0
    )]
    public long MinFreeBytes { get; init; } = 512L << 20;
}
