using System.Text.Json.Serialization;

namespace Pipeline.Subscriptions;

/// <summary>What happened to a subscription.</summary>
[JsonConverter(typeof(JsonStringEnumConverter<SubscriptionEventKind>))]
public enum SubscriptionEventKind
{
    /// <summary>It was created.</summary>
    Created,

    /// <summary>Its definition was changed.</summary>
    Changed,

    /// <summary>Its position was moved.</summary>
    Moved,

    /// <summary>It was paused.</summary>
    Paused,

    /// <summary>It was resumed.</summary>
    Resumed,

    /// <summary>It was deleted.</summary>
    Deleted,

    /// <summary>A worker connected.</summary>
    WorkerJoined,

    /// <summary>A worker left without being dropped.</summary>
    WorkerLeft,

    /// <summary>A worker was dropped; the detail gives the reason.</summary>
    WorkerDropped,

    /// <summary>A worker did not report within its lease and was dropped.</summary>
    LeaseLost,

    /// <summary>A worker received a batch.</summary>
    BatchSent,

    /// <summary>A worker's batch was durably acknowledged.</summary>
    BatchAcknowledged,

    /// <summary>Changes were rejected and will be delivered again.</summary>
    Rejected,

    /// <summary>Changes were parked as dead letters.</summary>
    Parked,

    /// <summary>
    /// Its lag moved towards or away from a limit of its policy; the detail gives the state and the reason.
    /// </summary>
    LagChanged,

    /// <summary>A resync began: it gets all documents again.</summary>
    ResyncBegan,

    /// <summary>The resync ended: it has all documents and continues with changes.</summary>
    ResyncEnded,

    /// <summary>An error stopped it.</summary>
    Failed,

    /// <summary>This follower was too slow: the count is the number of events left out here.</summary>
    Missed,
}
