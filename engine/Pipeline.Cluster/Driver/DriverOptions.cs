namespace Pipeline.Cluster;

/// <summary>The clock, intervals and timeouts of a <see cref="NodeDriver"/>.</summary>
internal sealed record DriverOptions
{
    /// <summary>The clock. With the system's clock, leases also run while the machine sleeps.</summary>
    public TimeProvider Time { get; init; } = TimeProvider.System;

    /// <summary>Makes the start ids of processes.</summary>
    public Func<Guid> NewStart { get; init; } = Guid.NewGuid;

    /// <summary>The longest time between two ticks of the loop; at most a tenth of a lease.</summary>
    public TimeSpan Tick { get; init; } = TimeSpan.FromMilliseconds(50);

    /// <summary>How long a reader waits for a record before it reads again.</summary>
    public TimeSpan ReadWait { get; init; } = TimeSpan.FromMilliseconds(250);

    /// <summary>How long to wait after the log could not be read.</summary>
    public TimeSpan LogRetry { get; init; } = TimeSpan.FromMilliseconds(200);

    /// <summary>How long to wait after the store had no room for an entry.</summary>
    public TimeSpan StallRetry { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>How often the position in the log is saved.</summary>
    public TimeSpan SaveEvery { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>
    /// How long a leader that stops waits for the transactions that it has accepted. The program ends 4.5 s after it was
    /// told to, and callers have their answers before that.
    /// </summary>
    public TimeSpan StopTimeout { get; init; } = TimeSpan.FromSeconds(3);

    /// <summary>How often a node that is about to stop looks whether the log still confirms.</summary>
    public TimeSpan SilenceLook { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>About how many bytes one read of the log returns.</summary>
    public int ReadBytes { get; init; } = 4 << 20;
}
