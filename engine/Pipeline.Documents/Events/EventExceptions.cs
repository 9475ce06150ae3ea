namespace Pipeline.Documents.Events;

/// <summary>A stream is not where an append expected it: another one wrote to it. Nothing was appended.</summary>
public sealed class EventConflictException : Exception
{
    /// <summary>Makes the error.</summary>
    /// <param name="streamId">The stream.</param>
    /// <param name="sequenceNumber">
    /// The number of the new event, or the one that was expected to be the highest.
    /// </param>
    /// <param name="highest">The highest one there is.</param>
    public EventConflictException(string streamId, long sequenceNumber, long highest)
        : base(
            $"The stream '{DocumentKeys.Printable(streamId)}' has events up to number {highest}, so an append with number {sequenceNumber} is refused: another writer was faster. Read the stream again, and see that only one writes to it at a time."
        )
    {
        StreamId = streamId;
        SequenceNumber = sequenceNumber;
        Highest = highest;
    }

    /// <summary>The stream.</summary>
    public string StreamId { get; }

    /// <summary>The number of the new event, or the one that was expected to be the highest.</summary>
    public long SequenceNumber { get; }

    /// <summary>The highest number there is.</summary>
    public long Highest { get; }
}

/// <summary>Something cannot be a stream's id, a tag or an event.</summary>
public sealed class InvalidEventException : ArgumentException
{
    /// <summary>Makes the error.</summary>
    /// <param name="message">The problem, with the limit.</param>
    public InvalidEventException(string message)
        : base(message) { }
}
