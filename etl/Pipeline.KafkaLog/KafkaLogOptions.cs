using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using Pipeline.Etl.Connectors.Kafka;

namespace Pipeline.KafkaLog;

/// <summary>Options of a <see cref="KafkaSharedLog"/>.</summary>
public sealed record KafkaLogOptions
{
    /// <summary>How the brokers are reached, and how records are compressed.</summary>
    public required KafkaConnectionOptions Connection { get; init; }

    /// <summary>The topic.</summary>
    public required string Topic { get; init; }

    /// <summary>Where relative paths of <see cref="Connection"/> start.</summary>
    public string BaseDirectory { get; init; } = "";

    /// <summary>
    /// Whether the topic may have fewer than three copies, or accept records that only one broker has stored. Default
    /// false.
    /// </summary>
    public bool AllowFewerCopies { get; init; }

    /// <summary>The longest record in bytes. 900,000 by default, which a topic's default takes.</summary>
    public int MaxRecordBytes { get; init; } = 900_000;

    /// <summary>How long a call waits for the brokers. 5 s by default.</summary>
    public TimeSpan BrokerTimeout { get; init; } = TimeSpan.FromSeconds(5);

    /// <summary>The clock.</summary>
    public TimeProvider Time { get; init; } = TimeProvider.System;

    /// <summary>The loggers.</summary>
    public ILoggerFactory Loggers { get; init; } = NullLoggerFactory.Instance;
}
