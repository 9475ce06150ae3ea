namespace Pipeline.Cluster.Tests.Log;

/// <summary>How often a <see cref="MemoryLog"/> does what, each as a probability.</summary>
internal sealed record MemoryLogFaults(int Seed)
{
    /// <summary>The record lands later, and its answer is unknown.</summary>
    public double Delay { get; init; }

    /// <summary>The record never lands, and its answer is unknown.</summary>
    public double Loss { get; init; }

    /// <summary>The record lands, and its answer is unknown.</summary>
    public double NoAnswer { get; init; }

    /// <summary>The record lands, and once more later.</summary>
    public double Duplicate { get; init; }

    /// <summary>The answer names a place that is not the record's.</summary>
    public double Lie { get; init; }

    /// <summary>A late record lands at the next call.</summary>
    public double Landing { get; init; }
}
