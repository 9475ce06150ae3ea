namespace Pipeline.Documents.Events;

/// <summary>A stored event.</summary>
/// <param name="Position">Its position among all changes of the database.</param>
/// <param name="StreamId">Its stream.</param>
/// <param name="SequenceNumber">Its number in the stream.</param>
/// <param name="Timestamp">
/// When it was written, by the database's clock; never earlier than the event at the previous position.
/// </param>
/// <param name="SerializerId">The id of the serializer of the payload.</param>
/// <param name="Manifest">The type of the payload, for the serializer.</param>
/// <param name="Writer">The writer.</param>
/// <param name="Tags">Its tags.</param>
/// <param name="Payload">
/// The payload, in the memory of the <see cref="EventBatch"/>: valid until that is disposed. Empty if the key is
/// destroyed.
/// </param>
/// <param name="IsKeyDestroyed">Whether it can no longer be read, because its stream's key was destroyed.</param>
public readonly record struct StoredEvent(
    long Position,
    string StreamId,
    long SequenceNumber,
    DateTimeOffset Timestamp,
    int SerializerId,
    string Manifest,
    string Writer,
    IReadOnlyList<string> Tags,
    ReadOnlyMemory<byte> Payload,
    bool IsKeyDestroyed
);
