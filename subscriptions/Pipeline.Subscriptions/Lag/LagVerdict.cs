namespace Pipeline.Subscriptions;

/// <summary>The verdict of a <see cref="LagPolicy"/> on a consumer.</summary>
/// <param name="State">How far the consumer lags.</param>
/// <param name="Share">The share of the nearest limit that is used, 1 at the limit; 0 without limits.</param>
/// <param name="Reason">What is near or over its limit, in words; null if nothing is.</param>
public sealed record LagVerdict(LagState State, double Share, string? Reason)
{
    /// <summary>The verdict without any lag.</summary>
    public static LagVerdict Fine { get; } = new(LagState.Normal, 0, null);
}
