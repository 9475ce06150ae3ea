namespace Pipeline.Etl.Connectors;

/// <summary>The messages of one step of a task, in the order of the changes that made them.</summary>
/// <param name="Messages">The messages; may be empty where the transform sent none, and the position moves all the same.</param>
/// <param name="Position">The task's position once every message of the batch is delivered.</param>
public sealed record MessageBatch(IReadOnlyList<OutgoingMessage> Messages, long Position)
{
    /// <summary>Stores refused messages as dead letters, durably. A sink that keeps the position itself calls it with those it leaves out before it commits
    /// the rest with the position, since a crash after that would lose them; other sinks only return them.</summary>
    public Func<IReadOnlyList<MessageFailure>, CancellationToken, Task>? StoreRefused { get; init; }

    /// <summary>Whether these are messages of changes that the position has passed already, sent again by a retry or a replay: a sink that keeps the position
    /// leaves it as it is, and drops none of them for being old.</summary>
    public bool IsBeside { get; init; }
}
