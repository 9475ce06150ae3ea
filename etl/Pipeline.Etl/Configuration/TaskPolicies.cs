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

/// <summary>What the deletion of a document does in a task.</summary>
public enum DeletePolicy
{
    /// <summary>Nothing: the task does not see deletions.</summary>
    Nothing,

    /// <summary>
    /// The transform runs with <c>isDeleted</c> set and an empty <c>doc</c>, and its messages are sent.
    /// </summary>
    Event,

    /// <summary>As <see cref="Event"/>, but messages have no body. A message without a key gets the document's id as
    /// its key. Kafka treats it as a tombstone.</summary>
    Tombstone,
}

/// <summary>Which changes of other documents send a document again.</summary>
public enum DependencyPolicy
{
    /// <summary>None: a document is sent when it changes itself.</summary>
    Nothing,

    /// <summary>Those of documents that its last run of the transform loaded, whether or not they were there.</summary>
    Load,
}
