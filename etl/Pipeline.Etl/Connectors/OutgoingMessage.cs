using Pipeline.Etl.Configuration;

namespace Pipeline.Etl.Connectors;

/// <summary>
/// One message as a transform gave it, with its CloudEvents 1.0 attributes. Immutable once a batch holds it.
/// </summary>
/// <remarks>
/// The attributes are those of the CloudEvents 1.0 specification; <c>specversion</c> is always <c>1.0</c>.
/// </remarks>
public sealed class OutgoingMessage
{
    private ReadOnlyMemory<byte> _body;

    /// <summary>Topic, queue or file that the message goes to, as the transform named it.</summary>
    public required string Destination { get; init; }

    /// <summary>CloudEvents <c>id</c>. It never changes for a change, so that consumers can deduplicate.</summary>
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

    /// <summary>
    /// Kafka's record key, or the routing key at an exchange; <see langword="null"/> if the transform gave none.
    /// </summary>
    public string? Key { get; init; }

    /// <summary>The body: UTF-8 JSON; empty for a tombstone.</summary>
    public required ReadOnlyMemory<byte> Body
    {
        get => _body;
        init => _body = value;
    }

    /// <summary>The database position of the change that made this message.</summary>
    public required long Position { get; init; }

    /// <summary>The position of the document's own version. It differs from <see cref="Position"/> if the document is
    /// resent because a document that it loads has changed.</summary>
    public long DocumentPosition
    {
        get => field == 0 ? Position : field;
        init;
    }

    /// <summary>The options of its destination, or <see langword="null"/> if none are configured.</summary>
    public DestinationConfiguration? Options { get; init; }

    /// <summary>
    /// The W3C <c>traceparent</c> of the trace that the document was written in, or <see langword="null"/> if there is
    /// none.
    /// </summary>
    public string? TraceParent { get; init; }

    /// <summary>The collection of the document, or <see langword="null"/> if it has none.</summary>
    public string? Collection { get; init; }

    /// <summary>Whether the change was a deletion.</summary>
    public bool IsDeletion { get; init; }

    /// <summary>Copies the message and its body, for callers that keep it after the batch has been sent.</summary>
    public OutgoingMessage Detach()
    {
        var copy = (OutgoingMessage)MemberwiseClone();
        copy._body = Body.ToArray();
        return copy;
    }
}
