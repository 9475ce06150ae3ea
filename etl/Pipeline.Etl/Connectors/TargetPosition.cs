namespace Pipeline.Etl.Connectors;

/// <summary>The position that a target stores with the messages, and the rule for messages that it already has:
/// every message whose change is at or before that position, except messages that are resent on purpose
/// (<see cref="MessageBatch.LeavesPosition"/>).</summary>
/// <param name="Value">The position; 0 if the target stores none.</param>
internal readonly record struct TargetPosition(long Value)
{
    /// <summary>Converts the result of <see cref="IMessageSink.ConnectAsync"/>.</summary>
    public static TargetPosition Of(long? stored) => new(stored ?? 0);

    /// <summary>Whether the target has the whole batch. Then only the answer to an earlier attempt was lost.</summary>
    public bool HasAll(MessageBatch batch) => !batch.LeavesPosition && Value > 0 && Value >= batch.Position;

    /// <summary>
    /// The batch without the messages that the target has. Another instance may have committed a part of it.
    /// </summary>
    public MessageBatch TakeOut(MessageBatch batch)
    {
        // Messages are in the order of their changes.
        if (batch.LeavesPosition || batch.Messages.Count == 0 || batch.Messages[0].Position > Value)
            return batch;
        var stored = Value;
        return batch with { Messages = [.. batch.Messages.Where(m => m.Position > stored)] };
    }

    /// <summary>Where a run begins.</summary>
    /// <param name="durable">The position that the database stores.</param>
    /// <param name="rereads">
    /// Whether the task must reread the messages that the target already has, to delete them or to see their loads. The
    /// target then drops the repeats.
    /// </param>
    public long Begin(long durable, bool rereads) => rereads ? durable : Math.Max(durable, Value);
}
