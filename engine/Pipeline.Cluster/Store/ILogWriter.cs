namespace Pipeline.Cluster;

/// <summary>Takes the records that a node appends.</summary>
internal interface ILogWriter
{
    /// <summary>
    /// Begins to append a record; returns at once. The answer comes later, by <see cref="ReplicatedStore.Answered"/>,
    /// or never.
    /// </summary>
    void Append(long id, LogRecord record, long expected);
}
