namespace Pipeline.Documents.Events;

/// <summary>A stream.</summary>
/// <param name="Number">Its number: streams count up in the order of their making, from 1.</param>
/// <param name="StreamId">Its id.</param>
public readonly record struct EventStreamInfo(long Number, string StreamId);
