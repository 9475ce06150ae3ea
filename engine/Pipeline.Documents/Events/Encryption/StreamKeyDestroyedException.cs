namespace Pipeline.Documents.Events;

/// <summary>
/// The key of an encrypted stream was destroyed: its content can no longer be read, and nothing can be added.
/// </summary>
public sealed class StreamKeyDestroyedException : Exception
{
    /// <summary>Makes the error.</summary>
    /// <param name="streamId">The stream.</param>
    public StreamKeyDestroyedException(string streamId)
        : base(
            $"The key of the stream '{DocumentKeys.Printable(streamId)}' was destroyed. Its events and snapshots are unreadable, and no event can be added. Use another stream id."
        ) => StreamId = streamId;

    /// <summary>The stream.</summary>
    public string StreamId { get; }
}
