namespace Pipeline.Cluster;

/// <summary>What a node's loop asks of the process around it. No call may come back into the loop.</summary>
internal interface INodeHost
{
    /// <summary>Appends a record. The answer comes later, by <see cref="ClusterNode.Answered"/>, or never.</summary>
    void Append(long id, LogRecord record, long expected);

    /// <summary>
    /// The oldest transaction prepared here is accepted: it may be shown to readers, journaled and flushed.
    /// </summary>
    void Publish(long transaction, in ReadPosition position);

    /// <summary>Another process's transaction is accepted, and follows the last one here.</summary>
    void Apply(long transaction, ReadOnlyMemory<byte> payload, in ReadPosition position);

    /// <summary>
    /// Another process's transaction was read, and the store was opened with one of that number.
    /// </summary>
    /// <returns>Whether it may be the same one. If it is not, the log has lost the store's.</returns>
    bool Has(long transaction, ReadOnlyMemory<byte> payload);

    /// <summary>The transactions that were prepared and not published are undone, for a reason.</summary>
    void Drop(NodeRefusal reason);

    /// <summary>The result may leave.</summary>
    void Acknowledge(object token);

    /// <summary>The result must not leave.</summary>
    void Refuse(object token, NodeRefusal reason);
}
