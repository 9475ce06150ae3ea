using System.Text.Json.Serialization;

namespace Pipeline.Subscriptions;

/// <summary>What is done with a consumer that is further behind than it may be.</summary>
[JsonConverter(typeof(JsonStringEnumConverter<LagAction>))]
public enum LagAction
{
    /// <summary>All is kept for it, and the health is degraded.</summary>
    [JsonStringEnumMemberName("keep")]
    Keep,

    /// <summary>Nothing is kept for it any more. When a worker connects next it gets all documents anew, after a mark that says so.</summary>
    [JsonStringEnumMemberName("pause-and-resync")]
    PauseAndResync,

    /// <summary>It is deleted.</summary>
    [JsonStringEnumMemberName("drop")]
    Drop,
}
