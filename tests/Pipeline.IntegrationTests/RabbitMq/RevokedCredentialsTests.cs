using Pipeline.Etl.Runner;
using Pipeline.IntegrationTests.Independent;
using Pipeline.IntegrationTests.WholePath;
using Xunit;

namespace Pipeline.IntegrationTests.RabbitMq;

/// <summary>
/// A password changes while a task runs: the task reports the error and continues with the new password, without a
/// restart.
/// </summary>
[Collection(BrokerTests.Name)]
public sealed class RevokedCredentialsTests(Services services)
{
    [SkippableFact]
    public async Task A_task_waits_with_the_reason_and_goes_on_when_the_secret_is_changed_too()
    {
        var python = RabbitMqReader.Require();
        await using var broker = await services.RabbitMq.StartOwnAsync();
        await services.RabbitMq.ControlAsync(broker, "add_user", "etl", "first");
        await services.RabbitMq.ControlAsync(broker, "set_permissions", "etl", ".*", ".*", ".*");
        var folder = Directory.CreateTempSubdirectory("pipeline-credentials-");
        try
        {
            var secret = Path.Combine(folder.FullName, "password");
            await File.WriteAllTextAsync(secret, "first");
            var uri = broker.Endpoint.Replace("guest:guest", $"etl:${{file:{secret}}}", StringComparison.Ordinal);
            await using var shop = new Shop();
            await using var host = shop.Host(
                $"  target: {{ rabbitmq: {{ uri: \"{uri}\" }} }}",
                """
                etl:
                  - { name: revoked, from: ["@all_docs"], to: target, retry: { initialDelay: 100ms, maxDelay: 1s, failedDelay: 1s }, transform: 'send("revoked", doc, key: id);' }
                """
            );
            host.Start();
            await Things.PutAsync(shop, 0, 10);
            await Things.UntilSentAsync(host, shop);

            await services.RabbitMq.ControlAsync(broker, "change_password", "etl", "second");
            await services.RabbitMq.ControlAsync(broker, "close_all_connections", "the password has changed");
            await Things.PutAsync(shop, 10, 10);
            var failed = await Things.UntilAsync(
                host,
                s =>
                    s.State == EtlTaskState.Failed
                    && s.LastError!.Message.Contains(
                        "the broker refuses the user name or the password",
                        StringComparison.Ordinal
                    )
            );
            Assert.DoesNotContain("first", failed.LastError!.Message, StringComparison.Ordinal);

            await File.WriteAllTextAsync(secret, "second");
            await Things.UntilSentAsync(host, shop);
            var received = await RabbitMqReader.ReadAllAsync(python, broker.Endpoint, "revoked");
            Assert.Equal(
                Things.Ids(shop, "revoked"),
                received.Select(r => r.Attributes["id"]).Distinct().Order(StringComparer.Ordinal)
            );
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }
}
