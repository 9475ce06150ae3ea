namespace Pipeline.Etl.Connectors;

/// <summary>
/// Where one task's messages go. Used by one caller at a time; opened by <see cref="ConnectAsync"/>, which is called
/// again after an error.
/// </summary>
public interface IMessageSink : IAsyncDisposable
{
    /// <summary>
    /// Connects, or connects again after a <see cref="ConnectorException"/>, dropping whatever was half sent.
    /// </summary>
    /// <returns>The position that the target itself remembers for this task (written with the messages in one
    /// transaction), or
    /// <see langword="null"/> if it keeps none. <see cref="TaskRun.Judge"/> has passed it.</returns>
    /// <exception cref="ConnectorException">The target cannot be reached or refuses us.</exception>
    /// <exception cref="TargetConflictException">
    /// What the target remembers is not of this database's history.
    /// </exception>
    ValueTask<long?> ConnectAsync(CancellationToken cancellationToken);

    /// <summary>
    /// Checks one message against the target's own limits (size, name rules) before anything is sent.
    /// </summary>
    /// <returns>Why the target will never take it, or <see langword="null"/>.</returns>
    string? FindFault(OutgoingMessage message);

    /// <summary>Whether a message that <see cref="FindFault"/> has a fault of is too large, and nothing else.</summary>
    bool IsOversize(OutgoingMessage message) => false;

    /// <summary>
    /// Whether the task fails, and tries again, at a message that is too large, before its <c>onError</c> decides about
    /// it.
    /// </summary>
    bool FailsAtOversize => false;

    /// <summary>
    /// Delivers the batch and returns when the target has confirmed every message (and holds the position, if it keeps
    /// one).
    /// </summary>
    /// <returns>The messages that the target refused for ever; all others are confirmed. Never null.</returns>
    /// <exception cref="ConnectorException">
    /// The batch is not confirmed; it may have arrived in part, and is sent again.
    /// </exception>
    /// <exception cref="TargetConflictException">
    /// The target has a message of the batch already that something other than this task wrote.
    /// </exception>
    ValueTask<IReadOnlyList<MessageFailure>> SendAsync(MessageBatch batch, CancellationToken cancellationToken);
}
