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

/// <summary>An event as the database has it.</summary>
internal readonly record struct EventRow(
    long Position,
    string StreamId,
    long Number,
    DateTimeOffset Time,
    string Name,
    IReadOnlyList<string> Tags,
    ReadOnlyMemory<byte> Payload,
    bool IsKeyDestroyed
);

/// <summary>Events that were read together.</summary>
/// <param name="Events">The events.</param>
/// <param name="Through">The position up to which nothing is missing.</param>
/// <param name="HasMore">Whether more are stored.</param>
internal sealed record EventRows(IReadOnlyList<EventRow> Events, long Through, bool HasMore);

/// <summary>An event to append.</summary>
internal sealed record NewEvent(string Name, ReadOnlyMemory<byte> Payload);
