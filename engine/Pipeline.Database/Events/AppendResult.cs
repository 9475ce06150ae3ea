namespace Pipeline.Database.Events;

/// <summary>What an append did.</summary>
/// <param name="LastSequenceNumber">The highest number in the stream now.</param>
/// <param name="LastPosition">The position of the last of the events; of an event that was there already its former one; 0 where there were none.</param>
public readonly record struct AppendResult(long LastSequenceNumber, long LastPosition);
