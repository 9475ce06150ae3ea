using Pipeline.Etl.Connectors.Kafka;
using Pipeline.Yaml;

namespace Pipeline.Configuration;

/// <summary>The block <c>cluster.log.kafka</c>: the topic that is the shared log, and how its brokers are reached.</summary>
public sealed class KafkaLogConfiguration : KafkaConnectionOptions
{
    /// <summary>The topic; null for <c>pipeline-NAME</c>.</summary>
    [Setting("The topic, with one partition and for this cluster only. Default: pipeline- and the cluster's name.")]
    public string? Topic { get; init; }

    /// <summary>Whether a missing topic is created.</summary>
    [Setting(
        "Whether the topic is created if it does not exist, with 3 copies, min.insync.replicas=2 and retention without limit. Default true."
    )]
    public override bool Create { get; init; } = true;

    /// <summary>Whether the log may have fewer than three copies.</summary>
    [Setting(
        "Whether the topic may have fewer than 3 copies or min.insync.replicas below 2, to try a cluster with one broker. The loss of that broker then loses acknowledged writes."
    )]
    public bool AllowFewerCopies { get; init; }

    /// <summary>How records are compressed.</summary>
    [Setting("How records are compressed: none, gzip, snappy, lz4 or zstd; default lz4.")]
    public override KafkaCompression Compression { get; init; } = KafkaCompression.Lz4;
}
