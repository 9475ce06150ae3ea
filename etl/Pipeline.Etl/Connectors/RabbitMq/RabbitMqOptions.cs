using Pipeline.Yaml;

namespace Pipeline.Etl.Connectors.RabbitMq;

/// <summary>The options of a <c>rabbitmq:</c> connection.</summary>
public sealed class RabbitMqOptions
{
    /// <summary>The broker's address and the credentials.</summary>
    [Setting(
        "The broker as amqp://user:password@host:port/virtual-host, or amqps:// for TLS.",
        Required = true,
        Secret = true
    )]
    public string Uri { get; init; } = "";

    /// <summary>Certificates of authorities to trust.</summary>
    [Setting(
        "With amqps://: a PEM file with the certificates of the authorities to trust, relative to the configuration file; default: the system's."
    )]
    public string? SslCaLocation { get; init; }

    /// <summary>The client certificate.</summary>
    [Setting(
        "With amqps://: a PEM or PFX file with the client certificate, for a broker that asks for one. Relative to the configuration file."
    )]
    public string? SslCertificateLocation { get; init; }

    /// <summary>The private key of the client certificate.</summary>
    [Setting("The PEM file of the private key, if 'sslCertificateLocation' does not contain it.")]
    public string? SslKeyLocation { get; init; }

    /// <summary>The exchange that messages go to.</summary>
    [Setting(
        "The exchange that messages go to. The routing key is the message's key, or its destination if it has no key. Default: the default "
            + "exchange, where the destination is the queue's name."
    )]
    public string Exchange { get; init; } = "";

    /// <summary>The type of an exchange that is created.</summary>
    [Setting("The type of the exchange if it is created: direct, fanout, topic or headers; default topic.")]
    public RabbitMqExchangeType ExchangeType { get; init; } = RabbitMqExchangeType.Topic;

    /// <summary>Whether missing queues, or the missing exchange, are declared.</summary>
    [Setting("Whether missing queues, or the missing exchange, are declared as durable; default true.")]
    public bool Create { get; init; } = true;

    /// <summary>The type of a queue that is declared.</summary>
    [Setting("The type of a queue that is declared: classic or quorum; default classic.")]
    public RabbitMqQueueType QueueType { get; init; }

    /// <summary>Which CloudEvents attributes messages carry.</summary>
    [Setting(
        "Which CloudEvents attributes each message carries as headers: all; required (id, source, specversion, type); or none, for the least bytes and work of the broker, because headers cost it "
            + "more than the body. The message-id property carries the id for deduplication in any case. Default all."
    )]
    public CloudEventAttributes CloudEvents { get; init; }

    /// <summary>How many messages may wait for the broker's confirm.</summary>
    [Setting("How many messages may await the broker's confirm; default 1000.")]
    public int MaxUnconfirmed { get; init; } = 1_000;

    /// <summary>How long to wait for a confirm.</summary>
    [Setting(
        "How long the broker may go without a confirm before the batch is sent again over a new connection; default 30 s."
    )]
    public TimeSpan ConfirmTimeout { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>The largest body.</summary>
    [Setting(
        "The largest body in bytes that the broker accepts; default 16777216, RabbitMQ 4's max_message_size. A larger one makes the broker close the channel."
    )]
    public int MaxMessageBytes { get; init; } = 16 * 1024 * 1024;
}

/// <summary>The types of a queue that is declared.</summary>
public enum RabbitMqQueueType
{
    /// <summary>One copy, on one node.</summary>
    Classic,

    /// <summary>Replicated by Raft.</summary>
    Quorum,
}

/// <summary>The types of an exchange that is declared.</summary>
public enum RabbitMqExchangeType
{
    /// <summary>Routing key equal to the binding's.</summary>
    Direct,

    /// <summary>Every bound queue.</summary>
    Fanout,

    /// <summary>Routing key that matches the binding's pattern.</summary>
    Topic,

    /// <summary>Headers that match the binding's.</summary>
    Headers,
}
