using System.Text.Json;
using Confluent.Kafka;
using Confluent.Kafka.Admin;
using Pipeline.Etl.Connectors.AzureQueues;
using Pipeline.Etl.Connectors.Kafka;
using Pipeline.IntegrationTests.Independent;
using Pipeline.TestKit.Services;
using RabbitMQ.Client;

namespace Pipeline.IntegrationTests.Conformance;

internal sealed class KafkaTarget : ConformanceTarget
{
    public override string Kind => "kafka";

    public override bool IsExactlyOnce => true;

    public override int OversizeBytes => 200_001;

    public override string Options =>
        $"{{ bootstrapServers: \"{Proxied}\", maxMessageBytes: 200000, transactionTimeout: 10s, properties: {{ socket.timeout.ms: \"10000\", reconnect.backoff.max.ms: \"500\" }} }}";

    public override async Task<List<(string Id, string Body)>> ReadAsync(string destination) =>
        [
            .. (await KafkaReader.ReadAllAsync(KafkaReader.Require(), $"127.0.0.1:{Proxy!.Port}", destination)).Select(
                r => (r.Attributes["id"], r.Body.ToJsonString())
            ),
        ];

    // A compacted topic takes no record without a key; nothing on our side knows that.
    internal override async Task<Refusal?> PrepareRefusalAsync(string destination)
    {
        using var admin = new AdminClientBuilder(
            new AdminClientConfig { BootstrapServers = $"127.0.0.1:{Proxy!.Port}" }
        ).Build();
        await admin.CreateTopicsAsync([
            new TopicSpecification
            {
                Name = destination,
                NumPartitions = 1,
                ReplicationFactor = 1,
                Configs = new() { ["cleanup.policy"] = "compact" },
            },
        ]);
        return new Refusal(Options, position => Messages.Make(destination, position, key: null), "validate record");
    }

    protected override Task<ITestBroker> StartBrokerAsync(int proxyPort) =>
        new KafkaService { AdvertisedPort = proxyPort }.StartOwnAsync();
}

internal sealed class RabbitMqTarget : ConformanceTarget
{
    private readonly RabbitMqService _service = new();

    public override string Kind => "rabbitmq";

    public override bool IsExactlyOnce => false;

    public override int OversizeBytes => 100_001;

    public override string Options => $"{{ uri: \"{Proxied}\", maxMessageBytes: 100000, confirmTimeout: 5s }}";

    public override async Task<List<(string Id, string Body)>> ReadAsync(string destination) =>
        [
            .. (await RabbitMqReader.ReadAllAsync(RabbitMqReader.Require(), Broker!.Endpoint, destination)).Select(r =>
                (r.Attributes["id"], r.Body.ToJsonString())
            ),
        ];

    internal override async Task<Refusal?> PrepareRefusalAsync(string destination)
    {
        await DeclareAsync(destination);
        return new Refusal(
            Options[..^1] + ", create: false }",
            position => Messages.Make(destination + "-missing", position, "k"),
            "NO_ROUTE"
        );
    }

    // The broker writes a new queue's definition to the disk seconds after it has confirmed messages in it.
    public override async Task PrepareSoakAsync(string destination)
    {
        await DeclareAsync(destination);
        await _service.ControlAsync(Broker!, "eval", "mnesia:sync_log().");
    }

    protected override Task<ITestBroker> StartBrokerAsync(int proxyPort) => _service.StartOwnAsync();

    private async Task DeclareAsync(string queue)
    {
        await using var connection = await new ConnectionFactory
        {
            Uri = new Uri(Broker!.Endpoint),
        }.CreateConnectionAsync();
        await using var channel = await connection.CreateChannelAsync();
        await channel.QueueDeclareAsync(queue, durable: true, exclusive: false, autoDelete: false);
    }
}

internal sealed class AzureQueuesTarget : ConformanceTarget
{
    public override string Kind => "azureQueues";

    public override bool IsExactlyOnce => false;

    // The emulator answers before it has stored a message.
    public override bool SurvivesKill => false;

    public override int OversizeBytes => 65_536;

    public override string Options => $"{{ connectionString: \"{Proxied}\", requestTimeout: 2s }}";

    public override async Task<List<(string Id, string Body)>> ReadAsync(string destination) =>
        [
            .. (await AzureQueueReader.ReadAllAsync(Broker!.Endpoint, destination, base64: true)).Select(m =>
                (m.GetProperty("id").GetString()!, m.GetProperty("data").GetRawText())
            ),
        ];

    internal override async Task<Refusal?> PrepareRefusalAsync(string destination)
    {
        await using var connector = Sinks.Connector(new AzureQueuesOptions { ConnectionString = Broker!.Endpoint });
        await using var maker = Sinks.Sink(connector, "maker");
        await maker.ConnectAsync(CancellationToken.None);
        await maker.SendAsync(Messages.Batch([Messages.Make(destination, 1)]), CancellationToken.None);
        await ReadAsync(destination);
        return new Refusal(
            Options[..^1] + ", create: false }",
            position => Messages.Make(destination + "-x", position, "k"),
            "does not exist"
        );
    }

    protected override Task<ITestBroker> StartBrokerAsync(int proxyPort) => new AzureQueueService().StartOwnAsync();
}

internal sealed class FilesTarget : ConformanceTarget
{
    private readonly Lazy<string> _folder = new(() =>
        Directory.CreateTempSubdirectory("pipeline-conformance-").FullName
    );

    public override string Kind => "files";

    public override bool IsExactlyOnce => true;

    public override bool HasNetwork => false;

    public override int OversizeBytes => 1_001;

    public override string Options => $"{{ directory: \"{_folder.Value}\", maxMessageBytes: 1000 }}";

    public override async Task<List<(string Id, string Body)>> ReadAsync(string destination)
    {
        var lines = await File.ReadAllLinesAsync(Path.Combine(_folder.Value, destination + ".jsonl"));
        return
        [
            .. lines
                .Select(l => JsonDocument.Parse(l).RootElement)
                .Select(m => (m.GetProperty("id").GetString()!, m.GetProperty("data").GetRawText())),
        ];
    }

    public override ValueTask DisposeAsync()
    {
        if (_folder.IsValueCreated)
            Directory.Delete(_folder.Value, recursive: true);
        return base.DisposeAsync();
    }

    protected override Task<ITestBroker> StartBrokerAsync(int proxyPort) =>
        throw new NotSupportedException("files have no broker");
}
