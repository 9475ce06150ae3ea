namespace Pipeline.Database.Events;

/// <summary>An event as it is stored.</summary>
/// <param name="Position">Its place among all changes of the database.</param>
/// <param name="StreamId">Its stream.</param>
/// <param name="SequenceNumber">Its number in the stream.</param>
/// <param name="Timestamp">When it was written, by the database's clock; never before the event of the position before.</param>
/// <param name="SerializerId">What reads the payload again.</param>
/// <param name="Manifest">What the payload is.</param>
/// <param name="Writer">Who wrote it.</param>
/// <param name="Tags">Its tags.</param>
/// <param name="Payload">The payload, in memory of the <see cref="EventBatch"/>: good until that is disposed. Empty where the key is destroyed.</param>
/// <param name="IsKeyDestroyed">Whether it can be read no more, because its stream's key was destroyed.</param>
public readonly record struct StoredEvent(
    long Position, string StreamId, long SequenceNumber, DateTimeOffset Timestamp, int SerializerId, string Manifest, string Writer, IReadOnlyList<string> Tags, ReadOnlyMemory<byte> Payload, bool IsKeyDestroyed);
