namespace Pipeline.Etl.Configuration;

/// <summary>What a task does about deleted documents.</summary>
public enum DeletePolicy
{
    /// <summary>Nothing: it does not see them.</summary>
    Nothing,

    /// <summary>The transform runs with <c>isDeleted</c> and an empty <c>doc</c>, and sends what it sends.</summary>
    Event,

    /// <summary>As <see cref="Event"/>, and each message has no body and, where the transform gives no key, the document's id as key: to Kafka a tombstone.</summary>
    Tombstone,
}
