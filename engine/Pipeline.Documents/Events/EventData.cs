namespace Pipeline.Documents.Events;

/// <summary>An event to append. Immutable; its payload must not change until the append has ended.</summary>
public sealed record EventData
{
    /// <summary>The serialized payload.</summary>
    public required ReadOnlyMemory<byte> Payload { get; init; }

    /// <summary>
    /// Its number in the stream, which must be above the highest one ever given there; 0 for the next. Numbers may be
    /// left out.
    /// </summary>
    public long SequenceNumber { get; init; }

    /// <summary>The id of the payload's serializer, as the application numbers them.</summary>
    public int SerializerId { get; init; }

    /// <summary>The type of the payload, for the serializer. At most 4,096 bytes of UTF-8.</summary>
    public string Manifest { get; init; } = "";

    /// <summary>
    /// The writer: one run of an actor. An existing event of the same writer with the same content counts as written.
    /// At most 512 bytes of UTF-8.
    /// </summary>
    public string Writer { get; init; } = "";

    /// <summary>
    /// Names under which it is found across streams, each 1 to 256 bytes of UTF-8 without zero bytes, as written; at
    /// most 255.
    /// </summary>
    public IReadOnlyList<string> Tags { get; init; } = [];

    /// <summary>
    /// The event as a document, stored at the event's own position and deleted with it; null for none. Not used in
    /// encrypted streams.
    /// </summary>
    public DocumentDraft? Document { get; init; }
}

/// <summary>The result of an append.</summary>
/// <param name="LastSequenceNumber">The highest number in the stream now.</param>
/// <param name="LastPosition">
/// The position of the last of the events; for an event that already existed, its former position; 0 if there were
/// none.
/// </param>
public readonly record struct AppendResult(long LastSequenceNumber, long LastPosition);
