namespace Pipeline.Etl.Connectors;

/// <summary>The messages of one step of a task, in the order of the changes that made them.</summary>
/// <param name="Messages">The messages. Empty if the transform sent none; the position still moves.</param>
/// <param name="Position">The task's position once every message of the batch is delivered.</param>
public sealed record MessageBatch(IReadOnlyList<OutgoingMessage> Messages, long Position)
{
    /// <summary>Stores refused messages as dead letters, durably. A sink that keeps the position itself must call this
    /// with the refused messages before it commits the others with the position, since a crash after the commit would
    /// lose them. Other sinks only return the refused messages.</summary>
    public Func<IReadOnlyList<MessageFailure>, CancellationToken, Task>? StoreRefused { get; init; }

    /// <summary>Whether a retry or a replay resends these messages, whose changes the position has already passed. A
    /// sink that keeps the position must leave it unchanged and must not drop these messages as old.</summary>
    public bool LeavesPosition { get; init; }
}

/// <summary>One message that its target will never take, however often it is sent.</summary>
/// <param name="Message">The message.</param>
/// <param name="Reason">Why, with the limit or the target's own message.</param>
public sealed record MessageFailure(OutgoingMessage Message, string Reason)
{
    /// <summary>Whether it is too large.</summary>
    public bool IsOversize { get; init; }
}
