namespace Pipeline.Database.Events;

/// <summary>The state of a stream's owner as of an event. Immutable.</summary>
public sealed record StreamSnapshot
{
    /// <summary>The number of the event up to which the state goes.</summary>
    public required long SequenceNumber { get; init; }

    /// <summary>When it was made.</summary>
    public required DateTimeOffset Timestamp { get; init; }

    /// <summary>What reads the payload again.</summary>
    public int SerializerId { get; init; }

    /// <summary>What the payload is. At most 4,096 bytes of UTF-8.</summary>
    public string Manifest { get; init; } = "";

    /// <summary>The payload, in memory of its own.</summary>
    public required ReadOnlyMemory<byte> Payload { get; init; }
}
