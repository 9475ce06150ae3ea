using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace Pipeline.Subscriptions;

/// <summary>How a host works.</summary>
public sealed record SubscriptionHostOptions
{
    /// <summary>The clock of leases, retries, rates and lag.</summary>
    public TimeProvider Time { get; init; } = TimeProvider.System;

    /// <summary>Where it logs.</summary>
    public ILoggerFactory Loggers { get; init; } = NullLoggerFactory.Instance;

    /// <summary>Whether it only shows what there is: nothing is read ahead, no worker can connect, nothing is written and no policy is carried out.</summary>
    public bool OnlyLooks { get; init; }

    /// <summary>
    /// Whether one that gives versions is refused where the database keeps none of its collections; else it gives those that are there once some are kept. Default true.
    /// </summary>
    public bool NeedsRevisions { get; init; } = true;

    /// <summary>How often lag is measured and policies are carried out. Default 10 s.</summary>
    public TimeSpan CheckInterval { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>From which share of a limit on a subscription's lag is a warning. Default 0.8.</summary>
    public double WarnAt { get; init; } = 0.8;
}
