using System.Text.Json.Serialization;

namespace Pipeline.Etl.Configuration;

/// <summary>
/// What a task does about a document that its transform fails on, or a message that its target will never accept.
/// </summary>
public enum ErrorPolicy
{
    /// <summary>It becomes a dead letter, and the task continues.</summary>
    Park,

    /// <summary>As <see cref="Park"/>, but later changes of the same key also become dead letters until the first one
    /// is retried or dropped. This keeps the order per key.</summary>
    [JsonStringEnumMemberName("park-key")]
    ParkKey,

    /// <summary>It is skipped, counted and logged.</summary>
    Skip,

    /// <summary>The task stops before it and retries it at long intervals.</summary>
    Stop,
}
