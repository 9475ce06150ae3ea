namespace Pipeline.Cluster;

/// <summary>What a node's loop asks of the process around it. A call must not call back into the loop.</summary>
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
    /// Another process's transaction was read, and the store already had one of that number when it was opened.
    /// </summary>
    /// <returns>Whether it may be the same transaction. If it is not, the log has lost the store's.</returns>
    bool Has(long transaction, ReadOnlyMemory<byte> payload);

    /// <summary>Undoes the transactions that were prepared and not published.</summary>
    void Drop(NodeRefusal reason);

    /// <summary>The result may be returned.</summary>
    void Acknowledge(object token);

    /// <summary>The result must not be returned.</summary>
    void Refuse(object token, NodeRefusal reason);
}
