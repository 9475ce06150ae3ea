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
        if (string.IsNullOrWhiteSpace(options.BootstrapServers))
            yield return ("bootstrapServers", "must name at least one broker as host:port");
        else if (KafkaServers.FindFault(options.BootstrapServers) is { } server)
            yield return ("bootstrapServers", server);
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
        if (
            options.SecurityProtocol is KafkaSecurity.SaslPlaintext or KafkaSecurity.SaslSsl
            && (string.IsNullOrEmpty(options.SaslUsername) || options.SaslPassword is null)
        )
        {
            yield return (
                "saslUsername",
                "is needed, and saslPassword, with securityProtocol " + options.SecurityProtocol
            );
        }

        if (options.SecurityProtocol is KafkaSecurity.Plaintext or KafkaSecurity.Ssl)
        {
            var given =
                options.SaslUsername is { Length: > 0 } ? "saslUsername"
                : options.SaslPassword is { Length: > 0 } ? "saslPassword"
                : options.SaslMechanism != KafkaSaslMechanism.Plain ? "saslMechanism"
                : null;
            var (now, sasl) =
                options.SecurityProtocol == KafkaSecurity.Ssl
                    ? ("ssl", "saslSsl")
                    : ("plaintext", "saslPlaintext or saslSsl");
            if (given is not null)
            {
                yield return (
                    given,
                    $"is not used with securityProtocol {now}: write securityProtocol: {sasl}, or leave it out"
                );
            }
        }

        if (
            options.SslCaLocation is { Length: > 0 }
            && options.SecurityProtocol is KafkaSecurity.Plaintext or KafkaSecurity.SaslPlaintext
        )
        {
            yield return (
                "sslCaLocation",
                "is not used without TLS: write securityProtocol: ssl or saslSsl, or leave it out"
            );
        }

        foreach (var name in options.Properties.Keys.Where(KafkaSettings.IsOwn))
        {
            yield return (
                "properties",
                $"'{name}' cannot be set here: it is decided by the connector or by a setting of the connection"
            );
        }
    }

    /// <inheritdoc/>
    public override IEnumerable<(string Key, string Message)> FindMissingFiles(object options, string baseDirectory) =>
        ((KafkaOptions)options).SslCaLocation is { Length: > 0 } file
        && !File.Exists(Path.GetFullPath(file, baseDirectory))
            ?
            [
                (
                    "sslCaLocation",
                    $"there is no file '{file}'; create it, or correct the path, which starts at the configuration file's folder"
                ),
            ]
            : [];

    /// <inheritdoc/>
    public override IReadOnlyCollection<string> DestinationOptions(object options) => ["partition", "headers"];

    /// <inheritdoc/>
    public override string? FindNameFault(object options, string destination) => KafkaTopics.FindNameFault(destination);

    /// <inheritdoc/>
    protected override IConnector Create(KafkaOptions options, ConnectorContext context) =>
        new KafkaConnector(options, context);
}
