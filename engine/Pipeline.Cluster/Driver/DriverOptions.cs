namespace Pipeline.Cluster;

/// <summary>Times and sources of a <see cref="NodeDriver"/>.</summary>
internal sealed record DriverOptions
{
    /// <summary>The clock. With the system's, leases go on while the machine sleeps.</summary>
    public TimeProvider Time { get; init; } = TimeProvider.System;

    /// <summary>Makes the ids of starts.</summary>
    public Func<Guid> NewStart { get; init; } = Guid.NewGuid;

    /// <summary>How often the loop looks at the clock, at least; a tenth of a lease or less.</summary>
    public TimeSpan Tick { get; init; } = TimeSpan.FromMilliseconds(50);

    /// <summary>How long a reader waits for a record before it reads again.</summary>
    public TimeSpan ReadWait { get; init; } = TimeSpan.FromMilliseconds(250);

    /// <summary>How long to wait after the log could not be read.</summary>
    public TimeSpan LogRetry { get; init; } = TimeSpan.FromMilliseconds(200);

    /// <summary>How long to wait after the store had no room for an entry.</summary>
    public TimeSpan StallRetry { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>How often the position in the log is kept.</summary>
    public TimeSpan SaveEvery { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>How long a leader that stops waits for the transactions that it has taken.</summary>
    public TimeSpan StopTimeout { get; init; } = TimeSpan.FromSeconds(5);

    /// <summary>About how many bytes to read at once.</summary>
    public int ReadBytes { get; init; } = 4 << 20;
}
