using Pipeline.Yaml;

namespace Pipeline.Etl.Connectors.Kafka;

/// <summary>How to connect to Kafka's brokers, for messages and for the shared log of a cluster.</summary>
public abstract class KafkaConnectionOptions
{
    /// <summary>The addresses of brokers.</summary>
    [Setting(
        "The brokers to contact first, as host:port, separated by commas; the default port is 9092.",
        Required = true
    )]
    public string BootstrapServers { get; init; } = "";

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

    /// <summary>Certificates of authorities to trust.</summary>
    [Setting(
        "A PEM file with the certificates of the authorities to trust, relative to the configuration file; default: the system's."
    )]
    public string? SslCaLocation { get; init; }

    /// <summary>Settings passed unchanged to the client library.</summary>
    [Setting(
        "More settings of the client library (librdkafka), by its own names, for example {\"socket.keepalive.enable\": \"true\"}. Those that the "
            + "guarantees rest on cannot be set.",
        Secret = true
    )]
    public Dictionary<string, string> Properties { get; init; } = [];

    /// <summary>Whether missing topics are created.</summary>
    public abstract bool Create { get; init; }

    /// <summary>How messages are compressed.</summary>
    public abstract KafkaCompression Compression { get; init; }

    /// <summary>The keys with invalid values, each with its fault.</summary>
    internal IEnumerable<(string Key, string Message)> FindFaults()
    {
        if (string.IsNullOrWhiteSpace(BootstrapServers))
            yield return ("bootstrapServers", "must name at least one broker as host:port");
        else if (KafkaServers.FindFault(BootstrapServers) is { } server)
            yield return ("bootstrapServers", server);

        if (
            SecurityProtocol is KafkaSecurity.SaslPlaintext or KafkaSecurity.SaslSsl
            && (string.IsNullOrEmpty(SaslUsername) || SaslPassword is null)
        )
        {
            yield return ("saslUsername", "is needed, and saslPassword, with securityProtocol " + SecurityProtocol);
        }

        if (SecurityProtocol is KafkaSecurity.Plaintext or KafkaSecurity.Ssl)
        {
            var given =
                SaslUsername is { Length: > 0 } ? "saslUsername"
                : SaslPassword is { Length: > 0 } ? "saslPassword"
                : SaslMechanism != KafkaSaslMechanism.Plain ? "saslMechanism"
                : null;
            var (now, sasl) =
                SecurityProtocol == KafkaSecurity.Ssl ? ("ssl", "saslSsl") : ("plaintext", "saslPlaintext or saslSsl");
            if (given is not null)
            {
                yield return (
                    given,
                    $"is not used with securityProtocol {now}: write securityProtocol: {sasl}, or leave it out"
                );
            }
        }

        if (
            SslCaLocation is { Length: > 0 }
            && SecurityProtocol is KafkaSecurity.Plaintext or KafkaSecurity.SaslPlaintext
        )
        {
            yield return (
                "sslCaLocation",
                "is not used without TLS: write securityProtocol: ssl or saslSsl, or leave it out"
            );
        }

        foreach (var name in Properties.Keys.Where(KafkaSettings.IsOwn))
        {
            yield return (
                "properties",
                $"'{name}' cannot be set here: the connector sets it, or another setting of the connection does"
            );
        }
    }

    /// <summary>The keys that name missing files.</summary>
    /// <param name="baseDirectory">Where relative paths start.</param>
    internal IEnumerable<(string Key, string Message)> FindMissingFiles(string baseDirectory) =>
        SslCaLocation is { Length: > 0 } file && !File.Exists(Path.GetFullPath(file, baseDirectory))
            ?
            [
                (
                    "sslCaLocation",
                    $"there is no file '{file}'; create it, or correct the path, which starts at the configuration file's folder"
                ),
            ]
            : [];
}

/// <summary>How a connection to Kafka is secured.</summary>
public enum KafkaSecurity
{
    /// <summary>Not at all.</summary>
    Plaintext,

    /// <summary>TLS.</summary>
    Ssl,

    /// <summary>User and password over an open connection.</summary>
    SaslPlaintext,

    /// <summary>User and password over TLS.</summary>
    SaslSsl,
}

/// <summary>How a user is authenticated.</summary>
public enum KafkaSaslMechanism
{
    /// <summary>The password in plain text.</summary>
    Plain,

    /// <summary>SCRAM with SHA-256.</summary>
    ScramSha256,

    /// <summary>SCRAM with SHA-512.</summary>
    ScramSha512,
}

/// <summary>How batches of messages are compressed.</summary>
public enum KafkaCompression
{
    /// <summary>Not at all.</summary>
    None,

    /// <summary>gzip.</summary>
    Gzip,

    /// <summary>Snappy.</summary>
    Snappy,

    /// <summary>LZ4.</summary>
    Lz4,

    /// <summary>Zstandard; the native library must have been built with it.</summary>
    Zstd,
}
