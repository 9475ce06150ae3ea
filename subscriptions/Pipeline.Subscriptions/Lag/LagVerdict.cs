namespace Pipeline.Subscriptions;

/// <summary>What a <see cref="LagPolicy"/> says of a consumer.</summary>
/// <param name="State">How far behind it is.</param>
/// <param name="Share">The share of the limit that it is nearest to, 1 at the limit; 0 where there is none.</param>
/// <param name="Reason">What is near or over its limit, for people; null where all is well.</param>
public sealed record LagVerdict(LagState State, double Share, string? Reason)
{
    /// <summary>All is well.</summary>
    public static LagVerdict Fine { get; } = new(LagState.Normal, 0, null);
}
