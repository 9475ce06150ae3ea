namespace Pipeline.Documents.Events;

/// <summary>The state of a stream's owner as of an event. Immutable.</summary>
public sealed record StreamSnapshot
{
    /// <summary>The number of the event up to which the state goes.</summary>
    public required long SequenceNumber { get; init; }

    /// <summary>When it was made.</summary>
    public required DateTimeOffset Timestamp { get; init; }

    /// <summary>The id of the payload's serializer.</summary>
    public int SerializerId { get; init; }

    /// <summary>The type of the payload. At most 4,096 bytes of UTF-8.</summary>
    public string Manifest { get; init; } = "";

    /// <summary>A copy of the payload.</summary>
    public required ReadOnlyMemory<byte> Payload { get; init; }
}
