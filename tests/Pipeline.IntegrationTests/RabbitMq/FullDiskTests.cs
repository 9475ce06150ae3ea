using Pipeline.Etl.Runner;
using Pipeline.IntegrationTests.Independent;
using Pipeline.IntegrationTests.WholePath;
using Xunit;

namespace Pipeline.IntegrationTests.RabbitMq;

/// <summary>
/// The broker's alarm for a full disk: it stops reading from publishers and tells them (<c>connection.blocked</c>).
/// </summary>
[Collection(BrokerTests.Name)]
public sealed class FullDiskTests(Services services)
{
    // More than the sockets between the two hold: the publisher itself is stuck, and not only without confirms.
    private const int LargeBytes = 400_000;

    [SkippableFact]
    public async Task A_task_waits_with_the_reason_and_goes_on_when_there_is_room_again()
    {
        var python = RabbitMqReader.Require();
        var broker = await services.RabbitMq.UseAsync();
        var queue = Sinks.NewName("full");
        await using var shop = new Shop();
        await using var host = shop.Host(
            $"  target: {{ rabbitmq: {{ uri: \"{broker.Endpoint}\", confirmTimeout: 1s }} }}",
            $$"""
            etl:
              - { name: full, from: [Things], to: target, retry: { initialDelay: 100ms, maxDelay: 500ms }, transform: 'send("{{queue}}", doc, key: id);' }
            """
        );
        host.Start();
        await Things.PutAsync(shop, 0, 10);
        await Things.UntilSentAsync(host, shop);

        await services.RabbitMq.ControlAsync(broker, "set_disk_free_limit", "900000GB");
        try
        {
            await Things.PutAsync(shop, 10, 40, LargeBytes);
            var waiting = await Things.UntilAsync(host, s => s.State == EtlTaskState.Retrying && s.Retries >= 3);
            Assert.Contains(
                "the broker accepts no messages at the moment: low on disk (connection.blocked)",
                waiting.LastError!.Message,
                StringComparison.Ordinal
            );
            Assert.True(waiting.LastError.IsTransient);
            Assert.True(waiting.Position < shop.Database.LastPosition);
        }
        finally
        {
            await services.RabbitMq.ControlAsync(broker, "set_disk_free_limit", "50MB");
        }

        var done = await Things.UntilSentAsync(host, shop);
        Assert.Equal(0, done.DeadLetters);
        await host.StopAsync();
        var received = await RabbitMqReader.ReadAllAsync(python, broker.Endpoint, queue);
        Assert.Equal(
            Things.Ids(shop, "full"),
            received.Select(r => r.Attributes["id"]).Distinct().Order(StringComparer.Ordinal)
        );

        // However many retries there were, the broker got the messages in flight once, and the batch once more.
        Assert.InRange(received.Count, 50, 90);
    }
}
