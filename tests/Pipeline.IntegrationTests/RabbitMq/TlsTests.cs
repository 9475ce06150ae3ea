using Pipeline.Etl.Connectors;
using Pipeline.Etl.Runner;
using Pipeline.IntegrationTests.Independent;
using Pipeline.IntegrationTests.WholePath;
using Pipeline.TestKit.Certificates;
using Pipeline.TestKit.Services;
using Xunit;
using Xunit.Abstractions;

namespace Pipeline.IntegrationTests.RabbitMq;

/// <summary>
/// TLS to a broker whose certificate a test authority signed, and which requires a client certificate.
/// </summary>
[Collection(BrokerTests.Name)]
public sealed class TlsTests(ITestOutputHelper output) : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("pipeline-tls-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [SkippableFact]
    public async Task Messages_arrive_where_the_authority_is_trusted_and_else_the_error_names_the_certificate()
    {
        var python = RabbitMqReader.Require();
        var files = TlsFiles.Make(Path.Combine(_folder, "right"), "the right authority");
        var other = TlsFiles.Make(Path.Combine(_folder, "wrong"), "another authority");
        await using var service = new RabbitMqService { Tls = files };
        await using var broker = await service.StartOwnAsync();
        var uri = RabbitMqService.TlsEndpoint(broker);
        var client = $"sslCertificateLocation: \"{files.Client}\"";

        await using (var shop = new Shop())
        {
            await Things.PutAsync(shop, 0, 25);
            await shop.RunAsync(
                $"  target: {{ rabbitmq: {{ uri: \"{uri}\", sslCaLocation: \"{files.Authority}\", {client} }} }}",
                """
                etl:
                  - { name: secured, from: [Things], to: target, transform: 'send("secured", doc, key: id);' }
                """
            );
            var received = await RabbitMqReader.ReadAllAsync(python, broker.Endpoint, "secured");
            Assert.Equal(
                Things.Ids(shop, "secured"),
                received.Select(r => r.Attributes["id"]).Order(StringComparer.Ordinal)
            );
        }

        foreach (var trust in new[] { $"sslCaLocation: \"{other.Authority}\", ", "" })
        {
            var refused = await FailAsync($"uri: \"{uri}\", {trust}{client}");
            Assert.Contains(
                "'CN=the test's broker' (issued by 'CN=the right authority') is not trusted",
                refused.Message,
                StringComparison.Ordinal
            );
            Assert.Contains("sslCaLocation", refused.Message, StringComparison.Ordinal);
            Assert.False(refused.IsTransient);
        }

        var missing = await FailAsync($"uri: \"{uri}\", sslCaLocation: none.pem");
        Assert.Contains("none.pem cannot be used: there is no such file", missing.Message, StringComparison.Ordinal);
        Assert.False(missing.IsTransient);

        // The broker asks for a certificate that its own authority signed.
        await FailAsync($"uri: \"{uri}\", sslCaLocation: \"{files.Authority}\"");
        await FailAsync(
            $"uri: \"{uri}\", sslCaLocation: \"{files.Authority}\", sslCertificateLocation: \"{other.Client}\""
        );
    }

    private async Task<EtlTaskError> FailAsync(string options)
    {
        await using var shop = new Shop();
        await Things.PutAsync(shop, 0, 1);
        await using var host = shop.Host(
            $"  target: {{ rabbitmq: {{ {options} }} }}",
            """
            etl:
              - { name: t, from: [Things], to: target, retry: { initialDelay: 100ms, maxDelay: 1s, failedDelay: 1s }, transform: 'send("refused", doc, key: id);' }
            """
        );
        host.Start();
        var status = await Things.UntilAsync(host, s => s.LastError is not null);
        await host.StopAsync();
        output.WriteLine($"{options}: {status.LastError!.Message}");
        Assert.Equal(0, status.Position);
        return status.LastError;
    }
}
