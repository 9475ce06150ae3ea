namespace Pipeline.Etl.Connectors.AzureQueues;

/// <summary>One storage account's queues. Thread-safe.</summary>
internal sealed class AzureQueuesConnector : IConnector
{
    internal AzureQueuesConnector(AzureQueuesOptions options, ConnectorContext context)
    {
        if (AzureQueuesDefinition.FindAccountFault(options) is var (key, message))
            throw new ArgumentException($"{key} {message}", nameof(options));
        Options = options;
        Context = context;
        Client = new AzureQueueClient(context.Connection, options);
    }

    internal AzureQueuesOptions Options { get; }

    internal ConnectorContext Context { get; }

    internal AzureQueueClient Client { get; init; }

    /// <inheritdoc/>
    public IMessageSink CreateSink(SinkContext context) => new AzureQueuesSink(this, context);

    /// <inheritdoc/>
    public async ValueTask CheckHealthAsync(CancellationToken cancellationToken) =>
        await Client.CheckAsync(cancellationToken).ConfigureAwait(false);

    /// <inheritdoc/>
    public ValueTask DisposeAsync() => ValueTask.CompletedTask;
}
