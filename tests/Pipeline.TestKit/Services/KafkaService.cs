using Pipeline.TestKit.Certificates;

namespace Pipeline.TestKit.Services;

/// <summary>Apache Kafka: one node, KRaft, Java 17.</summary>
public sealed class KafkaService : TestService
{
    /// <summary>
    /// The port that the broker advertises, for clients that reach it through a proxy; 0 for the broker's own port.
    /// </summary>
    public int AdvertisedPort { get; init; }

    /// <summary>
    /// Whether clients must authenticate (SCRAM-SHA-512, again every two seconds); not at <see cref="OpenEndpoint"/>.
    /// Local brokers only.
    /// </summary>
    public bool Authenticates { get; init; }

    /// <summary>The broker's TLS certificate; <see cref="OpenEndpoint"/> is without TLS. Local brokers only.</summary>
    public TlsFiles? Tls { get; init; }

    /// <summary>A folder for the topics' logs that is not the broker's own. Local brokers only.</summary>
    public string? LogFolder { get; init; }

    /// <inheritdoc/>
    public override string Name => "Kafka";

    /// <inheritdoc/>
    public override string Variable => "PIPELINE_TEST_KAFKA";

    /// <inheritdoc/>
    protected override string Remedy =>
        IsLocalOnly
            ? "install Java 17 and set KAFKA_HOME to the folder of Kafka 4"
            : "start Docker, or install Java 17 and set KAFKA_HOME to the folder of Kafka 4";

    /// <inheritdoc/>
    protected override Task<ITestBroker?> StartContainerAsync() =>
        IsLocalOnly ? Task.FromResult<ITestBroker?>(null) : Containers.StartKafkaAsync();

    /// <summary>
    /// Where a broker of this service with <see cref="Authenticates"/> or <see cref="Tls"/> takes everybody: for
    /// administration, and readers.
    /// </summary>
    public static string OpenEndpoint(ITestBroker broker)
    {
        ArgumentNullException.ThrowIfNull(broker);
        return $"127.0.0.1:{int.Parse(broker.Endpoint.Split(':')[^1], System.Globalization.CultureInfo.InvariantCulture) + 2}";
    }

    /// <inheritdoc/>
    protected override async Task<ITestBroker> StartLocalAsync()
    {
        var installation = KafkaInstallation.Find();
        var folder = ServiceProcess.NewFolder("kafka");
        var port = FreePorts.Find(3);
        var properties = Path.Combine(folder, "server.properties");
        await File.WriteAllTextAsync(properties, Properties(port, folder));
        await installation.FormatAsync(properties, KafkaInstallation.NewId());
        var broker = new ServiceProcess(
            $"127.0.0.1:{port}",
            installation.Origin,
            port,
            folder,
            () => installation.Broker(properties)
        );
        await broker.StartAsync();
        return broker;
    }

    private bool IsLocalOnly => Authenticates || Tls is not null || LogFolder is not null;

    private string Properties(int port, string folder) =>
        $"""
            process.roles=broker,controller
            node.id=1
            controller.quorum.voters=1@127.0.0.1:{port + 1}
            listeners=CLIENT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{port + 1},OPEN://127.0.0.1:{port + 2}
            advertised.listeners=CLIENT://127.0.0.1:{(
                AdvertisedPort == 0 ? port : AdvertisedPort
            )},OPEN://127.0.0.1:{port + 2}
            controller.listener.names=CONTROLLER
            inter.broker.listener.name=OPEN
            listener.security.protocol.map=CONTROLLER:PLAINTEXT,OPEN:PLAINTEXT,CLIENT:{(
                Authenticates ? "SASL_PLAINTEXT"
                : Tls is null ? "PLAINTEXT"
                : "SSL"
            )}
            sasl.enabled.mechanisms=SCRAM-SHA-512
            listener.name.client.scram-sha-512.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required;
            connections.max.reauth.ms=2000
            {(
                Tls is null
                    ? ""
                    : $"listener.name.client.ssl.keystore.type=PEM\nlistener.name.client.ssl.keystore.location={Tls.Server}"
            )}
            log.dirs={LogFolder ?? folder}/logs
            metadata.log.dir={folder}/metadata
            num.partitions=3
            offsets.topic.replication.factor=1
            offsets.topic.num.partitions=2
            transaction.state.log.replication.factor=1
            transaction.state.log.min.isr=1
            transaction.state.log.num.partitions=2
            share.coordinator.state.topic.replication.factor=1
            share.coordinator.state.topic.min.isr=1
            group.initial.rebalance.delay.ms=0
            auto.create.topics.enable=false
            """;
}
