using System.Text.Json;
using Pipeline.IntegrationTests.Independent;
using Pipeline.TestKit.Services;

namespace Pipeline.IntegrationTests.Conformance;

internal sealed class KafkaTarget : ConformanceTarget
{
    public override string Kind => "kafka";

    public override bool IsExactlyOnce => true;

    public override int OversizeBytes => 200_001;

    public override string Options => $"{{ bootstrapServers: \"{Proxied}\", maxMessageBytes: 200000, transactionTimeout: 10s, properties: {{ socket.timeout.ms: \"10000\", reconnect.backoff.max.ms: \"500\" }} }}";

    public override async Task<List<(string Id, string Body)>> ReadAsync(string destination) =>
        [.. (await KafkaReader.ReadAllAsync(KafkaReader.Require(), $"127.0.0.1:{Proxy!.Port}", destination)).Select(r => (r.Attributes["id"], r.Body.ToJsonString()))];

    protected override Task<ITestBroker> StartBrokerAsync(int proxyPort) => new KafkaService { AdvertisedPort = proxyPort }.StartOwnAsync();
}

internal sealed class RabbitMqTarget : ConformanceTarget
{
    public override string Kind => "rabbitmq";

    public override bool IsExactlyOnce => false;

    public override int OversizeBytes => 100_001;

    public override string Options => $"{{ uri: \"{Proxied}\", maxMessageBytes: 100000, confirmTimeout: 5s }}";

    public override async Task<List<(string Id, string Body)>> ReadAsync(string destination) =>
        [.. (await RabbitMqReader.ReadAllAsync(RabbitMqReader.Require(), Broker!.Endpoint, destination)).Select(r => (r.Attributes["id"], r.Body.ToJsonString()))];

    protected override Task<ITestBroker> StartBrokerAsync(int proxyPort) => new RabbitMqService().StartOwnAsync();
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
        [.. (await AzureQueueReader.ReadAllAsync(Broker!.Endpoint, destination, base64: true)).Select(m => (m.GetProperty("id").GetString()!, m.GetProperty("data").GetRawText()))];

    protected override Task<ITestBroker> StartBrokerAsync(int proxyPort) => new AzureQueueService().StartOwnAsync();
}

internal sealed class FilesTarget : ConformanceTarget
{
    private readonly Lazy<string> _folder = new(() => Directory.CreateTempSubdirectory("pipeline-conformance-").FullName);

    public override string Kind => "files";

    public override bool IsExactlyOnce => true;

    public override bool HasNetwork => false;

    public override int OversizeBytes => 1_001;

    public override string Options => $"{{ directory: \"{_folder.Value}\", maxMessageBytes: 1000 }}";

    public override async Task<List<(string Id, string Body)>> ReadAsync(string destination)
    {
        var lines = await File.ReadAllLinesAsync(Path.Combine(_folder.Value, destination + ".jsonl"));
        return [.. lines.Select(l => JsonDocument.Parse(l).RootElement).Select(m => (m.GetProperty("id").GetString()!, m.GetProperty("data").GetRawText()))];
    }

    public override ValueTask DisposeAsync()
    {
        if (_folder.IsValueCreated) Directory.Delete(_folder.Value, recursive: true);
        return base.DisposeAsync();
    }

    protected override Task<ITestBroker> StartBrokerAsync(int proxyPort) => throw new NotSupportedException("files have no broker");
}
