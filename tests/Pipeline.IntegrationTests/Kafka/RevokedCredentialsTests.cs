using System.Text;
using Confluent.Kafka;
using Confluent.Kafka.Admin;
using Pipeline.Etl.Connectors.Kafka;
using Pipeline.Etl.Runner;
using Pipeline.IntegrationTests.Independent;
using Pipeline.IntegrationTests.WholePath;
using Pipeline.TestKit.Services;
using Xunit;
using Xunit.Abstractions;

namespace Pipeline.IntegrationTests.Kafka;

/// <summary>
/// A SCRAM password changes while a task sends: the task reports the error and continues with the new password, without
/// a restart, exactly once.
/// </summary>
[Collection(BrokerTests.Name)]
public sealed class RevokedCredentialsTests(ITestOutputHelper output)
{
    [SkippableFact]
    public async Task A_task_waits_with_the_reason_and_goes_on_when_the_secret_is_changed_too()
    {
        var kcat = KafkaReader.Require();
        await using var service = new KafkaService { Authenticates = true };
        await using var broker = await service.StartOwnAsync();
        await SetPasswordAsync(broker, "first-password");
        var folder = Directory.CreateTempSubdirectory("pipeline-credentials-");
        try
        {
            var secret = Path.Combine(folder.FullName, "password");
            await File.WriteAllTextAsync(secret, "first-password");
            await using var shop = new Shop();
            await using var host = shop.Host(
                $"  target: {{ kafka: {{ bootstrapServers: \"{broker.Endpoint}\", securityProtocol: saslPlaintext, saslMechanism: scramSha512, saslUsername: etl, saslPassword: \"${{file:{secret}}}\" }} }}",
                """
                etl:
                  - { name: revoked, from: ["@all_docs"], to: target, batch: { minDocuments: 4, maxDocuments: 8 }, retry: { initialDelay: 100ms, maxDelay: 500ms, failedDelay: 500ms }, transform: 'send("revoked", doc, key: id);' }
                """
            );
            host.Start();
            await Things.PutAsync(shop, 0, 10);
            await Things.UntilSentAsync(host, shop);

            // Changes come all the time, so that it is found out within a transaction.
            await SetPasswordAsync(broker, "second-password");
            var count = 10;
            var failed = await Things.UntilAsync(
                host,
                status =>
                {
                    Things.PutAsync(shop, count++, 1).GetAwaiter().GetResult();
                    return status.State == EtlTaskState.Failed;
                }
            );
            output.WriteLine($"after {count} changes, {failed.Lag} behind: {failed.LastError!.Message}");
            Assert.Contains("uthentication fail", failed.LastError.Message, StringComparison.Ordinal);
            Assert.False(failed.LastError.IsTransient);
            Assert.DoesNotContain("first-password", failed.LastError.Message, StringComparison.Ordinal);

            await File.WriteAllTextAsync(secret, "second-password");
            var done = await Things.UntilSentAsync(host, shop);
            Assert.Equal(0, done.DeadLetters);
            await host.StopAsync();
            var received = await KafkaReader.ReadAllAsync(kcat, KafkaService.OpenEndpoint(broker), "revoked");
            Assert.Equal(
                Things.Ids(shop, "revoked"),
                received.Select(r => r.Attributes["id"]).Order(StringComparer.Ordinal)
            );
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }

    private static async Task SetPasswordAsync(ITestBroker broker, string password)
    {
        using var admin = new AdminClientBuilder(
            new AdminClientConfig { BootstrapServers = KafkaService.OpenEndpoint(broker) }
        ).Build();
        await admin.AlterUserScramCredentialsAsync([
            new UserScramCredentialUpsertion
            {
                User = "etl",
                Password = Encoding.UTF8.GetBytes(password),
                ScramCredentialInfo = new ScramCredentialInfo
                {
                    Mechanism = ScramMechanism.ScramSha512,
                    Iterations = 4096,
                },
            },
        ]);
    }
}
