namespace Pipeline.Etl.Connectors;

/// <summary>
/// One configured connection to a broker, service or folder. Thread-safe; shared by the tasks that name it.
/// </summary>
public interface IConnector : IAsyncDisposable
{
    /// <summary>Makes the sink of one task. Connects to nothing yet.</summary>
    IMessageSink CreateSink(SinkContext context);

    /// <summary>
    /// Asks the target whether it accepts messages now. Throws <see cref="ConnectorException"/> if it does not.
    /// </summary>
    ValueTask CheckHealthAsync(CancellationToken cancellationToken);
}
