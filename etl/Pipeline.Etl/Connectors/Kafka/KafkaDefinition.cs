namespace Pipeline.Etl.Connectors.Kafka;

/// <summary><c>kafka:</c> in the configuration.</summary>
public sealed class KafkaDefinition : ConnectorDefinition<KafkaOptions>
{
    /// <inheritdoc/>
    public override string Kind => "kafka";

    /// <inheritdoc/>
    public override string Summary =>
        "Apache Kafka: a destination is a topic; messages and the task's position are committed in one transaction.";

    /// <inheritdoc/>
    protected override IEnumerable<(string Key, string Message)> Validate(KafkaOptions options)
    {
        foreach (var shared in options.FindFaults())
            yield return shared;
        if (options.Partitions is < 1)
            yield return ("partitions", $"must be 1 or more, not {options.Partitions}");
        if (options.ReplicationFactor is < 1 or > short.MaxValue)
        {
            yield return (
                "replicationFactor",
                $"must be between 1 and {short.MaxValue}, not {options.ReplicationFactor}"
            );
        }

        if (options.MaxMessageBytes is < 1_000 or > 1_000_000_000)
            yield return ("maxMessageBytes", $"must be between 1000 and 1000000000, not {options.MaxMessageBytes}");
        if (options.Linger < TimeSpan.Zero || options.Linger > TimeSpan.FromSeconds(10))
            yield return ("linger", "must be between 0 and 10 s");
        if (options.TransactionTimeout < TimeSpan.FromSeconds(1) || options.TransactionTimeout > TimeSpan.FromHours(1))
            yield return ("transactionTimeout", "must be between 1 s and 1 h");
        if (KafkaTopics.FindNameFault(options.PositionsTopic) is { } fault)
            yield return ("positionsTopic", fault);
    }

    /// <inheritdoc/>
    public override IEnumerable<(string Key, string Message)> FindMissingFiles(object options, string baseDirectory) =>
        ((KafkaOptions)options).FindMissingFiles(baseDirectory);

    /// <inheritdoc/>
    public override IReadOnlyCollection<string> DestinationOptions(object options) => ["partition", "headers"];

    /// <inheritdoc/>
    public override string? FindNameFault(object options, string destination) => KafkaTopics.FindNameFault(destination);

    /// <inheritdoc/>
    protected override IConnector Create(KafkaOptions options, ConnectorContext context) =>
        new KafkaConnector(options, context);
}
