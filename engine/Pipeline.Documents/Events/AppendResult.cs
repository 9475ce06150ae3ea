namespace Pipeline.Documents.Events;

/// <summary>The result of an append.</summary>
/// <param name="LastSequenceNumber">The highest number in the stream now.</param>
/// <param name="LastPosition">
/// The position of the last of the events; for an event that already existed, its former position; 0 if there were
/// none.
/// </param>
public readonly record struct AppendResult(long LastSequenceNumber, long LastPosition);
