using System.Text.Json.Serialization;

namespace Pipeline.Subscriptions;

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
