namespace Pipeline.Documents.Events;

/// <summary>A projection could not apply an event; its progress is before it.</summary>
public sealed class EventProjectionException : Exception
{
    /// <summary>Makes the error.</summary>
    /// <param name="projection">The projection.</param>
    /// <param name="item">The event.</param>
    /// <param name="cause">The exception.</param>
    public EventProjectionException(string projection, StoredEvent item, Exception cause)
        : base(
            $"The projection '{projection}' failed at event {item.SequenceNumber} of stream '{DocumentKeys.Printable(item.StreamId)}' (position {item.Position}): {cause?.Message} Fix the projection and run it again.",
            cause
        )
    {
        Projection = projection;
        Position = item.Position;
    }

    /// <summary>The projection.</summary>
    public string Projection { get; }

    /// <summary>The event's position.</summary>
    public long Position { get; }
}
