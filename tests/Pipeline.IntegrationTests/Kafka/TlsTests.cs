using Pipeline.Etl.Connectors.Kafka;
using Pipeline.IntegrationTests.Independent;
using Pipeline.IntegrationTests.WholePath;
using Pipeline.TestKit.Certificates;
using Pipeline.TestKit.Services;
using Xunit;
using Xunit.Abstractions;

namespace Pipeline.IntegrationTests.Kafka;

/// <summary>TLS to a broker whose certificate a test authority signed.</summary>
[Collection(BrokerTests.Name)]
public sealed class TlsTests(ITestOutputHelper output) : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("pipeline-tls-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [SkippableFact]
    public async Task Messages_arrive_where_the_authority_is_trusted_and_else_the_error_names_the_certificate()
    {
        var kcat = KafkaReader.Require();
        var files = TlsFiles.Make(Path.Combine(_folder, "right"), "the right authority");
        var other = TlsFiles.Make(Path.Combine(_folder, "wrong"), "another authority");
        await using var service = new KafkaService { Tls = files };
        await using var broker = await service.StartOwnAsync();
        await using var shop = new Shop();
        await Things.PutAsync(shop, 0, 25);
        await shop.RunAsync(Connection(files.Authority), Task("secured"));
        var received = await KafkaReader.ReadAllAsync(kcat, KafkaService.OpenEndpoint(broker), "secured");
        Assert.Equal(
            Things.Ids(shop, "secured"),
            received.Select(r => r.Attributes["id"]).Order(StringComparer.Ordinal)
        );

        await using var host = shop.Host(Connection(other.Authority), Task("refused"));
        host.Start();
        var status = await Things.UntilAsync(host, s => s.LastError is not null);
        await host.StopAsync();
        output.WriteLine(status.LastError!.Message);
        Assert.Equal(0, status.Position);
        Assert.Contains("certificate verify failed", status.LastError.Message, StringComparison.Ordinal);

        string Connection(string authority) =>
            $"  target: {{ kafka: {{ bootstrapServers: \"{broker.Endpoint}\", securityProtocol: ssl, sslCaLocation: \"{authority}\" }} }}";

        static string Task(string name) =>
            $$"""
                etl:
                  - { name: {{name}}, from: [Things], to: target, retry: { initialDelay: 100ms, maxDelay: 1s, failedDelay: 1s }, transform: 'send("{{name}}", doc, key: id);' }
                """;
    }
}
