namespace Pipeline.Cluster;

/// <summary>Appends a node's records to the log.</summary>
internal interface ILogWriter
{
    /// <summary>
    /// Begins to append a record; returns at once. The answer comes later, by <see cref="ReplicatedStore.Answered"/>,
    /// or never.
    /// </summary>
    void Append(long id, LogRecord record, long expected);
}
