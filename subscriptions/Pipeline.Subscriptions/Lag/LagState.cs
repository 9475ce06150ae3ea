using System.Text.Json.Serialization;

namespace Pipeline.Subscriptions;

/// <summary>How far a consumer lags, by its policy.</summary>
public enum LagState
{
    /// <summary>Within its limits, or without limits.</summary>
    Normal,

    /// <summary>Near a limit.</summary>
    Warning,

    /// <summary>Over a limit.</summary>
    Exceeded,

    /// <summary>
    /// Was over a limit: nothing is kept for it, and it gets all documents again when a worker connects.
    /// </summary>
    AwaitsResync,

    /// <summary>It gets all documents again.</summary>
    Resyncing,
}

/// <summary>What happens to a consumer that exceeds its lag policy.</summary>
[JsonConverter(typeof(JsonStringEnumConverter<LagAction>))]
public enum LagAction
{
    /// <summary>Everything is kept for it, and the health is degraded.</summary>
    [JsonStringEnumMemberName("keep")]
    Keep,

    /// <summary>
    /// Nothing more is kept for it. When a worker next connects, it gets a mark and then all documents again.
    /// </summary>
    [JsonStringEnumMemberName("pause-and-resync")]
    PauseAndResync,

    /// <summary>It is deleted.</summary>
    [JsonStringEnumMemberName("drop")]
    Drop,
}

/// <summary>The verdict of a <see cref="LagPolicy"/> on a consumer.</summary>
/// <param name="State">How far the consumer lags.</param>
/// <param name="Share">The share of the nearest limit that is used, 1 at the limit; 0 without limits.</param>
/// <param name="Reason">What is near or over its limit, in words; null if nothing is.</param>
public sealed record LagVerdict(LagState State, double Share, string? Reason)
{
    /// <summary>The verdict without any lag.</summary>
    public static LagVerdict Fine { get; } = new(LagState.Normal, 0, null);
}
