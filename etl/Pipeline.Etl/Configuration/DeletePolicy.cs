namespace Pipeline.Etl.Configuration;

/// <summary>What a task does about deleted documents.</summary>
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
