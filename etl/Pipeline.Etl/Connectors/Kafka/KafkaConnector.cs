using Microsoft.Extensions.Logging;

namespace Pipeline.Etl.Connectors.Kafka;

/// <summary>One Kafka cluster, reached as its options say. Thread-safe.</summary>
internal sealed class KafkaConnector : IConnector
{
    internal KafkaConnector(KafkaOptions options, ConnectorContext context)
    {
        Options = options;
        Context = context;
        Faults = new KafkaFaults(context.Connection, options.BootstrapServers);
        Topics = new KafkaTopics(options, context, Faults, context.Loggers.CreateLogger<KafkaConnector>());
    }

    internal KafkaOptions Options { get; }

    internal ConnectorContext Context { get; }

    internal KafkaFaults Faults { get; }

    internal KafkaTopics Topics { get; }

    /// <inheritdoc/>
    public IMessageSink CreateSink(SinkContext context) => new KafkaSink(this, context);

    /// <inheritdoc/>
    public async ValueTask CheckHealthAsync(CancellationToken cancellationToken)
    {
        await Topics.CheckAsync(cancellationToken).ConfigureAwait(false);
    }

    /// <inheritdoc/>
    public ValueTask DisposeAsync()
    {
        Topics.Dispose();
        return ValueTask.CompletedTask;
    }
}
