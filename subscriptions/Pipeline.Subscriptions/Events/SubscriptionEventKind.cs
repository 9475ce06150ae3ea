using System.Text.Json.Serialization;

namespace Pipeline.Subscriptions;

/// <summary>What happened to a subscription.</summary>
[JsonConverter(typeof(JsonStringEnumConverter<SubscriptionEventKind>))]
public enum SubscriptionEventKind
{
    /// <summary>It was made.</summary>
    Created,

    /// <summary>Its definition was changed.</summary>
    Changed,

    /// <summary>Its position was set.</summary>
    Moved,

    /// <summary>It was paused.</summary>
    Paused,

    /// <summary>It goes on after a pause.</summary>
    Resumed,

    /// <summary>It was deleted.</summary>
    Deleted,

    /// <summary>A worker came.</summary>
    WorkerJoined,

    /// <summary>A worker left by itself.</summary>
    WorkerLeft,

    /// <summary>A worker was dropped; the detail says why.</summary>
    WorkerDropped,

    /// <summary>A worker was not heard of for its lease, and was dropped.</summary>
    LeaseLost,

    /// <summary>A worker was given a batch.</summary>
    BatchSent,

    /// <summary>A worker's batch was acknowledged, durably.</summary>
    BatchAcknowledged,

    /// <summary>Changes were rejected and are given again.</summary>
    Rejected,

    /// <summary>Changes were parked as dead letters.</summary>
    Parked,

    /// <summary>It came nearer to a limit of its lag policy, or away from it; the detail has the state and why.</summary>
    LagChanged,

    /// <summary>It gets all documents anew.</summary>
    ResyncBegan,

    /// <summary>It has all documents and goes on with changes.</summary>
    ResyncEnded,

    /// <summary>It stopped by an error.</summary>
    Failed,

    /// <summary>This follower was too slow: so many events, the count, were left out here.</summary>
    Missed,
}
