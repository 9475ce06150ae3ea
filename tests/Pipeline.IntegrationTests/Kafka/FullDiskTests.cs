using Pipeline.Etl.Runner;
using Pipeline.IntegrationTests.Independent;
using Pipeline.IntegrationTests.WholePath;
using Pipeline.TestKit.Services;
using Xunit;
using Xunit.Abstractions;

namespace Pipeline.IntegrationTests.Kafka;

/// <summary>
/// A broker whose disk is full stops. Restarted with more room, it lets the task continue, exactly once.
/// </summary>
[Collection(BrokerTests.Name)]
public sealed class FullDiskTests(ITestOutputHelper output)
{
    [SkippableFact]
    public async Task A_task_waits_with_the_reason_and_goes_on_when_there_is_room_again()
    {
        var kcat = KafkaReader.Require();
        using var disk = SmallDisk.Mount(megabytes: 8);
        await using var service = new KafkaService { LogFolder = disk.Folder };
        await using var broker = await service.StartOwnAsync();
        await using var shop = new Shop();
        await using var host = shop.Host(
            $"  target: {{ kafka: {{ bootstrapServers: \"{broker.Endpoint}\", transactionTimeout: 5s, properties: {{ socket.timeout.ms: \"5000\", reconnect.backoff.max.ms: \"500\" }} }} }}",
            """
            etl:
              - { name: full, from: ["@all_docs"], to: target, batch: { minDocuments: 5, maxDocuments: 10 }, retry: { initialDelay: 100ms, maxDelay: 500ms, failedDelay: 500ms }, transform: 'send("full", doc, key: id);' }
            """
        );
        host.Start();
        await Things.PutAsync(shop, 0, 5);
        await Things.UntilSentAsync(host, shop);

        await Things.PutAsync(shop, 5, 200, textBytes: 60_000);
        var waiting = await Things.UntilAsync(host, s => s.State is EtlTaskState.Retrying or EtlTaskState.Failed);
        output.WriteLine($"{waiting.Lag} behind: {waiting.LastError!.Message}");
        Assert.InRange(waiting.Position, 5, 204);

        await broker.KillAsync();
        disk.Grow(megabytes: 64);
        await broker.StartAsync();
        var done = await Things.UntilSentAsync(host, shop);
        Assert.Equal(0, done.DeadLetters);
        await host.StopAsync();
        var received = await KafkaReader.ReadAllAsync(kcat, broker.Endpoint, "full");
        Assert.Equal(Things.Ids(shop, "full"), received.Select(r => r.Attributes["id"]).Order(StringComparer.Ordinal));
    }
}
