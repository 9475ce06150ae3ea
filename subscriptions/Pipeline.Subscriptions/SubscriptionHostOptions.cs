using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace Pipeline.Subscriptions;

/// <summary>Options of a subscription host.</summary>
public sealed record SubscriptionHostOptions
{
    /// <summary>The clock of leases, retries, rates and lag.</summary>
    public TimeProvider Time { get; init; } = TimeProvider.System;

    /// <summary>The loggers.</summary>
    public ILoggerFactory Loggers { get; init; } = NullLoggerFactory.Instance;

    /// <summary>
    /// Whether the host is read-only: it reads nothing ahead, accepts no workers, writes nothing and applies no policy.
    /// </summary>
    public bool OnlyLooks { get; init; }

    /// <summary>
    /// Whether to refuse a subscription to versions if the database keeps no revisions of its collections. Otherwise it
    /// delivers versions once some are kept. Default true.
    /// </summary>
    public bool NeedsRevisions { get; init; } = true;

    /// <summary>
    /// The most subscriptions of the database; a further one is refused. Those that exist are opened in any case.
    /// Default 1,000.
    /// </summary>
    public int MaxSubscriptions { get; init; } = 1_000;

    /// <summary>How often lag is measured and policies are applied. Default 10 s.</summary>
    public TimeSpan CheckInterval { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>The share of a lag limit from which there is a warning. Default 0.8.</summary>
    public double WarnAt { get; init; } = 0.8;
}
