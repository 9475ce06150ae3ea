using System.Globalization;
using Confluent.Kafka;

namespace Pipeline.Etl.Connectors.Kafka;

/// <summary>The client library's settings, made from the options.</summary>
internal static class KafkaSettings
{
    /// <summary>Settings that the guarantees depend on or that our own options set.</summary>
    private static readonly HashSet<string> Own = new(StringComparer.Ordinal)
    {
        "bootstrap.servers",
        "metadata.broker.list",
        "enable.idempotence",
        "acks",
        "request.required.acks",
        "transactional.id",
        "transaction.timeout.ms",
        "isolation.level",
        "group.id",
        "enable.auto.commit",
        "security.protocol",
        "sasl.mechanism",
        "sasl.mechanisms",
        "sasl.username",
        "sasl.password",
        "ssl.ca.location",
        "compression.type",
        "compression.codec",
        "linger.ms",
        "queue.buffering.max.ms",
        "message.max.bytes",
        "batch.size",
        "max.in.flight",
        "max.in.flight.requests.per.connection",
        "message.timeout.ms",
        "delivery.timeout.ms",
        "dotnet.producer.enable.delivery.reports",
        "dotnet.producer.enable.background.poll",
        "log_cb",
        "error_cb",
        "opaque",
    };

    internal static bool IsOwn(string property) => Own.Contains(property);

    internal static T Apply<T>(T config, KafkaConnectionOptions options, string baseDirectory)
        where T : ClientConfig
    {
        config.BootstrapServers = options.BootstrapServers;
        config.ClientId = "pipeline";
        config.SocketNagleDisable = true;
        config.ReconnectBackoffMaxMs = 2_000;
        config.SecurityProtocol = options.SecurityProtocol switch
        {
            KafkaSecurity.Plaintext => SecurityProtocol.Plaintext,
            KafkaSecurity.Ssl => SecurityProtocol.Ssl,
            KafkaSecurity.SaslPlaintext => SecurityProtocol.SaslPlaintext,
            _ => SecurityProtocol.SaslSsl,
        };
        if (options.SecurityProtocol is KafkaSecurity.SaslPlaintext or KafkaSecurity.SaslSsl)
        {
            config.SaslMechanism = options.SaslMechanism switch
            {
                KafkaSaslMechanism.Plain => SaslMechanism.Plain,
                KafkaSaslMechanism.ScramSha256 => SaslMechanism.ScramSha256,
                _ => SaslMechanism.ScramSha512,
            };
            config.SaslUsername = options.SaslUsername;
            config.SaslPassword = options.SaslPassword;
        }

        if (options.SslCaLocation is { Length: > 0 } authorities)
            config.SslCaLocation = Path.GetFullPath(authorities, baseDirectory);
        return config;
    }

    /// <summary>A transactional producer's settings.</summary>
    /// <param name="options">The connection's options.</param>
    /// <param name="baseDirectory">Where relative paths start.</param>
    /// <param name="transactionalId">
    /// Unique to each task of each database, so that a second instance fences the first.
    /// </param>
    /// <param name="batchBytes">The largest request body; every topic in use accepts it.</param>
    /// <param name="inspect">
    /// Sends each message in a separate request with its own report. This is slow; it finds the message that the broker
    /// refuses.
    /// </param>
    internal static ProducerConfig Producer(
        KafkaOptions options,
        string baseDirectory,
        string transactionalId,
        int batchBytes,
        bool inspect
    )
    {
        var config = Apply(new ProducerConfig(), options, baseDirectory);
        config.EnableIdempotence = true;
        config.Acks = Acks.All;
        config.TransactionalId = transactionalId;
        config.TransactionTimeoutMs = (int)options.TransactionTimeout.TotalMilliseconds;
        config.LingerMs = options.Linger.TotalMilliseconds;
        config.MessageMaxBytes = options.MaxMessageBytes;
        config.BatchSize = batchBytes;
        config.CompressionType = Enum.Parse<CompressionType>(options.Compression.ToString());

        // The queue is larger than the runner's bounded batches, so that the sender never waits for room in the middle
        // of one.
        config.QueueBufferingMaxMessages = 1_000_000;
        config.QueueBufferingMaxKbytes = 1 << 20;

        // The partition of a key is the one that Java's clients choose, so that keyed topics can be joined.
        config.Partitioner = Partitioner.Murmur2Random;

        // The transaction shows whether all messages arrived, so a report for each message would be wasted.
        config.EnableDeliveryReports = inspect;
        if (inspect)
        {
            // Records in flight after a refused one are refused because of their sequence numbers, which would hide the
            // reason.
            config.BatchNumMessages = 1;
            config.MaxInFlight = 1;
        }
        else
        {
            config.DeliveryReportFields = "none";
        }

        foreach (var (name, value) in options.Properties)
            config.Set(name, value);
        return config;
    }

    /// <summary>A reader of committed records that belongs to no group.</summary>
    internal static ConsumerConfig Reader(KafkaOptions options, string baseDirectory)
    {
        var config = Apply(new ConsumerConfig(), options, baseDirectory);
        config.GroupId = "pipeline-positions";
        config.EnableAutoCommit = false;
        config.EnableAutoOffsetStore = false;
        config.EnablePartitionEof = true;
        config.IsolationLevel = IsolationLevel.ReadCommitted;
        config.AutoOffsetReset = AutoOffsetReset.Error;
        return config;
    }

    internal static string Text(long number) => number.ToString(CultureInfo.InvariantCulture);
}
