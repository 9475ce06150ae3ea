using Pipeline.Yaml;

namespace Pipeline.Etl.Connectors.Kafka;

/// <summary>The options of a <c>kafka:</c> connection.</summary>
public sealed class KafkaOptions : KafkaConnectionOptions
{
    /// <inheritdoc/>
    [Setting("Whether topics that do not exist are created; default true. The topic of the positions is created too.")]
    public override bool Create { get; init; } = true;

    /// <summary>Partitions of a topic that is created.</summary>
    [Setting("Partitions of a topic that is created; default: the broker's own default.")]
    public int? Partitions { get; init; }

    /// <summary>Copies of a topic that is created.</summary>
    [Setting("Replication factor of a topic that is created; default: the broker's own default.")]
    public int? ReplicationFactor { get; init; }

    /// <summary>The topic that holds each task's position.</summary>
    [Setting(
        "The compacted topic that keeps the position of each task, written in the same transaction as its messages; default pipeline-positions. "
            + "Its number of partitions must not be changed later."
    )]
    public string PositionsTopic { get; init; } = "pipeline-positions";

    /// <inheritdoc/>
    [Setting("How messages are compressed: none, gzip, snappy, lz4 or zstd; default none.")]
    public override KafkaCompression Compression { get; init; }

    /// <summary>Which CloudEvents attributes messages carry.</summary>
    [Setting(
        "Which CloudEvents attributes each message carries as headers: all; required (id, source, specversion, type); or none, for the smallest messages. With none a consumer sees only key and body, and "
            + "cannot deduplicate by id; a consumer that reads committed messages only does not need to. Default all."
    )]
    public CloudEventAttributes CloudEvents { get; init; }

    /// <summary>How long the client waits to fill a request.</summary>
    /// <remarks>
    /// The client sends one request at a time to a partition. While a request is in flight and waiting messages are
    /// older than this, its thread polls busily, which takes a core from the broker and the transforms. So with the
    /// default, only a full request or the end of a batch triggers a send.
    /// </remarks>
    [Setting(
        "How long the client waits for more messages before it sends a request that is not full; default 1 s. The end of a batch is sent at once."
    )]
    public TimeSpan Linger { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>How long a transaction may be open.</summary>
    [Setting(
        "How long a transaction may be open before the broker aborts it; default 60 s. A broker refuses more than its transaction.max.timeout.ms."
    )]
    public TimeSpan TransactionTimeout { get; init; } = TimeSpan.FromSeconds(60);

    /// <summary>The largest message that the client sends.</summary>
    [Setting(
        "The largest message in bytes, with key and headers; default 1000000. A topic's own max.message.bytes applies as well."
    )]
    public int MaxMessageBytes { get; init; } = 1_000_000;
}
