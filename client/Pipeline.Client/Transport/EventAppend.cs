namespace Pipeline.Client.Transport;

/// <summary>Events to append to a stream.</summary>
/// <param name="StreamId">The stream.</param>
/// <param name="Events">The events.</param>
/// <param name="ExpectedNumber">The number that the last event must have; <see langword="null"/> for any.</param>
/// <param name="Tags">Tags of each event.</param>
/// <param name="Collection">The collection of the events' documents; <see langword="null"/> for none.</param>
internal sealed record EventAppend(
    string StreamId,
    IReadOnlyList<NewEvent> Events,
    long? ExpectedNumber,
    IReadOnlyList<string> Tags,
    string? Collection
);
