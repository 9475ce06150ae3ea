using Pipeline.Etl.Connectors;

namespace Pipeline.Etl.Configuration;

/// <summary>The block <c>health</c>: when slow consumers of changes, or a disk that fills, make the worker's health degraded.</summary>
public sealed class HealthConfiguration
{
    /// <summary>The share of a limit of lag.</summary>
    [Setting("Per cent of a limit in a 'maxLag' from which on the health is degraded.", Minimum = 1, Maximum = 100)]
    public int LagPercent { get; init; } = 80;

    /// <summary>The share of the free disk space.</summary>
    [Setting("The health is degraded when what is kept for one consumer of changes takes so many per cent of the free space of the disk.", Minimum = 1, Maximum = 100)]
    public int DiskPercent { get; init; } = 10;

    /// <summary>Free bytes of a disk under which the health is degraded.</summary>
    [Setting("The health is degraded when the disk of the data or of the journal has less free space; 0 for never. It is unready when there is no room for the next step of growth.", Minimum = 0)]
    public long MinFreeBytes { get; init; } = 512L << 20;
}
