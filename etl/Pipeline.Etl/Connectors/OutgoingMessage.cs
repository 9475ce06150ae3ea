using Pipeline.Etl.Configuration;

namespace Pipeline.Etl.Connectors;

/// <summary>One message as a transform gave it, with its CloudEvents 1.0 attributes. Immutable once a batch holds it.</summary>
/// <remarks>The attributes are those of the CloudEvents 1.0 specification; <c>specversion</c> is always <c>1.0</c>.</remarks>
public sealed class OutgoingMessage
{
    private ReadOnlyMemory<byte> _body;

    /// <summary>Topic, queue or file that the message goes to, as the transform named it.</summary>
    public required string Destination { get; init; }

    /// <summary>CloudEvents <c>id</c>: the same for the same change for ever, so that consumers can drop repeats.</summary>
    public required string Id { get; init; }

    /// <summary>CloudEvents <c>source</c>.</summary>
    public required string Source { get; init; }

    /// <summary>CloudEvents <c>type</c>.</summary>
    public required string Type { get; init; }

    /// <summary>CloudEvents <c>subject</c>: the id of the document whose change made this message.</summary>
    public required string Subject { get; init; }

    /// <summary>CloudEvents <c>time</c>: when the change was committed.</summary>
    public required DateTimeOffset Time { get; init; }

    /// <summary>CloudEvents <c>datacontenttype</c>.</summary>
    public string ContentType { get; init; } = "application/json";

    /// <summary>Kafka's record key, the routing key at an exchange; <see langword="null"/> where the transform gave none.</summary>
    public string? Key { get; init; }

    /// <summary>The body: UTF-8 JSON; empty for a tombstone.</summary>
    public required ReadOnlyMemory<byte> Body
    {
        get => _body;
        init => _body = value;
    }

    /// <summary>The database position of the change that made this message.</summary>
    public required long Position { get; init; }

    /// <summary>The position of the document's own version: another one than <see cref="Position"/> where it is sent again for the change of a document that it loads.</summary>
    public long DocumentPosition
    {
        get => field == 0 ? Position : field;
        init;
    }

    /// <summary>What the configuration says of its destination; <see langword="null"/> where it says nothing.</summary>
    public DestinationConfiguration? Options { get; init; }

    /// <summary>W3C <c>traceparent</c> of the trace that the document's write began; <see langword="null"/> where there is none.</summary>
    public string? TraceParent { get; init; }

    /// <summary>The collection of the document; <see langword="null"/> where it has none.</summary>
    public string? Collection { get; init; }

    /// <summary>Whether the change was a deletion.</summary>
    public bool IsDeletion { get; init; }

    /// <summary>The same message with a body of its own, for who keeps it longer than the batch is on its way.</summary>
    public OutgoingMessage Detach()
    {
        var copy = (OutgoingMessage)MemberwiseClone();
        copy._body = Body.ToArray();
        return copy;
    }
}
