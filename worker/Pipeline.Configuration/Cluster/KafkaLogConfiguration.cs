using Pipeline.Etl.Connectors.Kafka;
using Pipeline.Yaml;

namespace Pipeline.Configuration;

/// <summary>The block <c>cluster.log.kafka</c>: the topic that is the shared log, and how its brokers are reached.</summary>
public sealed class KafkaLogConfiguration
{
    /// <summary>Where the brokers are.</summary>
    [Setting(
        "The brokers to contact first, as host:port, separated by commas; the default port is 9092.",
        Required = true
    )]
    public string BootstrapServers { get; init; } = "";

    /// <summary>The topic; null for <c>pipeline-NAME</c>.</summary>
    [Setting("The topic, with one partition and for this cluster only. Default: pipeline- and the cluster's name.")]
    public string? Topic { get; init; }

    /// <summary>Whether a missing topic is created.</summary>
    [Setting(
        "Whether the topic is created if it does not exist, with 3 copies, min.insync.replicas=2 and retention without limit. Default true."
    )]
    public bool Create { get; init; } = true;

    /// <summary>Whether the log may have fewer than three copies.</summary>
    [Setting(
        "Whether the topic may have fewer than 3 copies or min.insync.replicas below 2, to try a cluster with one broker. The loss of that broker then loses acknowledged writes."
    )]
    public bool AllowFewerCopies { get; init; }

    /// <summary>How the connection is secured.</summary>
    [Setting("How the connection is secured: plaintext, ssl, saslPlaintext or saslSsl; default plaintext.")]
    public KafkaSecurity SecurityProtocol { get; init; }

    /// <summary>How the user is authenticated.</summary>
    [Setting(
        "The SASL mechanism: plain, scramSha256 or scramSha512; default plain. Used with saslPlaintext and saslSsl."
    )]
    public KafkaSaslMechanism SaslMechanism { get; init; }

    /// <summary>The SASL user.</summary>
    [Setting("The SASL user name.")]
    public string? SaslUsername { get; init; }

    /// <summary>The SASL password.</summary>
    [Setting("The SASL password.", Secret = true)]
    public string? SaslPassword { get; init; }

    /// <summary>Certificates of authorities to trust; absolute after loading.</summary>
    [Setting(
        "A PEM file with the certificates of the authorities to trust, relative to this file; default: the system's."
    )]
    public string? SslCaLocation { get; internal set; }

    /// <summary>How records are compressed.</summary>
    [Setting("How records are compressed: none, gzip, snappy, lz4 or zstd; default lz4.")]
    public KafkaCompression Compression { get; init; } = KafkaCompression.Lz4;

    /// <summary>Settings passed unchanged to the client library.</summary>
    [Setting(
        "More settings of the client library (librdkafka), by its own names, for example {\"socket.keepalive.enable\": \"true\"}. Those that the guarantees rest on cannot be set.",
        Secret = true
    )]
    public Dictionary<string, string> Properties { get; init; } = [];

    /// <summary>How the brokers are reached, as a connection has it.</summary>
    internal KafkaOptions ToConnection() =>
        new()
        {
            BootstrapServers = BootstrapServers,
            Create = Create,
            SecurityProtocol = SecurityProtocol,
            SaslMechanism = SaslMechanism,
            SaslUsername = SaslUsername,
            SaslPassword = SaslPassword,
            SslCaLocation = SslCaLocation,
            Compression = Compression,
            Properties = Properties,
        };
}
