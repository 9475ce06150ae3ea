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
    /// <exception cref="ConnectorException">The target cannot be reached or refuses our credentials.</exception>
    /// <exception cref="TargetConflictException">
    /// The target's record does not belong to this database's history.
    /// </exception>
    ValueTask<long?> ConnectAsync(CancellationToken cancellationToken);

    /// <summary>
    /// Checks one message against the target's own limits (size, name rules) before anything is sent.
    /// </summary>
    /// <returns>Why the target will never take it, or <see langword="null"/>.</returns>
    string? FindFault(OutgoingMessage message);

    /// <summary>Whether a message for which <see cref="FindFault"/> finds a fault is merely too large.</summary>
    bool IsOversize(OutgoingMessage message) => false;

    /// <summary>
    /// Whether the task fails and retries at a message that is too large, before its <c>onError</c> applies.
    /// </summary>
    bool FailsAtOversize => false;

    /// <summary>
    /// Delivers the batch and returns when the target has confirmed every message (and holds the position, if it keeps
    /// one).
    /// </summary>
    /// <returns>The messages that the target refused for good; all others are confirmed. Never null.</returns>
    /// <exception cref="ConnectorException">
    /// The batch is not confirmed; it may have arrived in part, and is sent again.
    /// </exception>
    /// <exception cref="TargetConflictException">
    /// The target already has a message of the batch that something other than this task wrote.
    /// </exception>
    ValueTask<IReadOnlyList<MessageFailure>> SendAsync(MessageBatch batch, CancellationToken cancellationToken);
}
