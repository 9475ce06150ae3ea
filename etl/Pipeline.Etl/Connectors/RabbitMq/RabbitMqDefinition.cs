namespace Pipeline.Etl.Connectors.RabbitMq;

/// <summary><c>rabbitmq:</c> in the configuration.</summary>
public sealed class RabbitMqDefinition : ConnectorDefinition<RabbitMqOptions>
{
    /// <inheritdoc/>
    public override string Kind => "rabbitmq";

    /// <inheritdoc/>
    public override string Summary =>
        "RabbitMQ: a destination is a queue, or a routing key at an exchange; every message is persistent and confirmed by the broker.";

    /// <inheritdoc/>
    protected override IEnumerable<(string Key, string Message)> Validate(RabbitMqOptions options)
    {
        if (!Uri.TryCreate(options.Uri, UriKind.Absolute, out var uri) || uri.Scheme is not ("amqp" or "amqps"))
        {
            yield return ("uri", "must be of the form amqp://user:password@host:port/virtual-host");
        }
        else if (
            uri.Scheme == "amqp"
            && (options.SslCaLocation ?? options.SslCertificateLocation ?? options.SslKeyLocation) is not null
        )
        {
            yield return (
                "uri",
                "must begin with amqps:// where sslCaLocation, sslCertificateLocation or sslKeyLocation is given"
            );
        }

        if (options.SslKeyLocation is not null && options.SslCertificateLocation is null)
            yield return ("sslKeyLocation", "is the key of sslCertificateLocation, which is missing");
        if (options.MaxUnconfirmed is < 1 or > 100_000)
            yield return ("maxUnconfirmed", $"must be between 1 and 100000, not {options.MaxUnconfirmed}");
        if (options.ConfirmTimeout < TimeSpan.FromSeconds(1) || options.ConfirmTimeout > TimeSpan.FromHours(1))
            yield return ("confirmTimeout", "must be between 1 s and 1 h");
        if (options.MaxMessageBytes is < 1 or > 536_870_912)
            yield return ("maxMessageBytes", $"must be between 1 and 536870912, not {options.MaxMessageBytes}");
        if (System.Text.Encoding.UTF8.GetByteCount(options.Exchange) > 255)
            yield return ("exchange", "must have at most 255 bytes");
    }

    /// <inheritdoc/>
    public override IReadOnlyCollection<string> DestinationOptions(object options) =>
        options is RabbitMqOptions { Exchange.Length: > 0 }
            ? ["headers", "ttl", "delay", "dedup"]
            : ["headers", "ttl", "dedup"];

    /// <inheritdoc/>
    /// <remarks>At an exchange the destination is only the routing key of messages without a key.</remarks>
    public override string? FindNameFault(object options, string destination) =>
        options is RabbitMqOptions { Exchange.Length: 0 } queues
            ? RabbitMqSink.FindNameFault(destination, queues)
            : null;

    /// <inheritdoc/>
    protected override IConnector Create(RabbitMqOptions options, ConnectorContext context) =>
        new RabbitMqConnector(options, context);
}
