using Pipeline.Etl.Runner;
using Pipeline.IntegrationTests.Independent;
using Pipeline.TestKit.Services;
using Xunit;

namespace Pipeline.IntegrationTests.WholePath;

/// <summary>
/// A broker is down at the start, goes away in the middle and comes back. Its tasks wait and report it, other tasks
/// continue, nothing is lost.
/// </summary>
[Collection(BrokerOutages.Name)]
public sealed class OutageTests(Services services)
{
    private const string Retry = "retry: { initialDelay: 100ms, maxDelay: 1s }";

    [SkippableFact]
    public async Task Kafka_goes_away_and_comes_back_each_message_arrives_once()
    {
        var kcat = KafkaReader.Require();
        await using var broker = await services.Kafka.StartOwnAsync();
        await RunAsync(
            broker,
            // While the broker is dead, a batch that is under way waits for that long.
            $"kafka: {{ bootstrapServers: \"{broker.Endpoint}\", transactionTimeout: 10s }}",
            async shop =>
            {
                var received = await KafkaReader.ReadAllAsync(kcat, broker.Endpoint, "outage");
                Assert.Equal(Expected(shop), received.Select(r => r.Attributes["id"]).Order(StringComparer.Ordinal));
            }
        );
    }

    [SkippableFact]
    public async Task RabbitMq_goes_away_and_comes_back_each_message_arrives_and_only_ids_repeat()
    {
        var python = RabbitMqReader.Require();
        await using var broker = await services.RabbitMq.StartOwnAsync();
        await RunAsync(
            broker,
            $"rabbitmq: {{ uri: \"{broker.Endpoint}\" }}",
            async shop =>
            {
                var received = await RabbitMqReader.ReadAllAsync(python, broker.Endpoint, "outage");
                Assert.Equal(
                    Expected(shop),
                    received.Select(r => r.Attributes["id"]).Distinct().Order(StringComparer.Ordinal)
                );
            },
            settle: () => services.RabbitMq.ControlAsync(broker, "eval", "mnesia:sync_log().")
        );
    }

    [SkippableFact]
    public async Task Azure_queues_go_away_and_come_back_each_message_arrives_and_only_ids_repeat()
    {
        await using var broker = await services.AzureQueues.StartOwnAsync();
        await RunAsync(
            broker,
            $"azureQueues: {{ connectionString: \"{broker.Endpoint}\" }}",
            async shop =>
            {
                var received = await AzureQueueReader.ReadAllAsync(broker.Endpoint, "outage", base64: true);
                Assert.Equal(
                    Expected(shop),
                    received.Select(r => r.GetProperty("id").GetString()).Distinct().Order(StringComparer.Ordinal)
                );
            },
            kill: false
        ); // the emulator answers before it stores a message, so a kill would lose messages
    }

    private static IEnumerable<string> Expected(Shop shop) =>
        Enumerable
            .Range(1, (int)shop.Database.LastPosition)
            .Select(p => $"{shop.DatabaseId}/outage/{p}/0")
            .Order(StringComparer.Ordinal);

    /// <param name="settle">
    /// Runs before the kill. RabbitMQ once restarted without a queue that was seconds old, and lost the confirmed
    /// messages in it.
    /// </param>
    private static async Task RunAsync(
        ITestBroker broker,
        string target,
        Func<Shop, Task> check,
        bool kill = true,
        Func<Task>? settle = null
    )
    {
        Skip.IfNot(broker.CanRestart, $"{broker.Origin} cannot be stopped");
        var folder = Directory.CreateTempSubdirectory("pipeline-outage-").FullName;
        await using var shop = new Shop();
        await using var host = shop.Host(
            $"  target: {{ {target} }}\n  files: {{ files: {{ directory: \"{folder}\" }} }}",
            $$"""
            etl:
              - { name: outage, from: ["@all_docs"], to: target, batch: { minDocuments: 10, maxDocuments: 50 }, {{Retry}}, transform: 'send("outage", doc, key: id);' }
              - { name: others, from: ["@all_docs"], to: files, transform: 'send("others", doc);' }
            """
        );
        using var late = new CancellationTokenSource(TimeSpan.FromMinutes(3));

        // Down at the start.
        await broker.StopAsync();
        host.Start();
        await PutAsync(shop, 0, 200);
        await UntilAsync(host, "outage", s => s.State == EtlTaskState.Retrying && s.Retries > 0, late.Token);
        await UntilAsync(host, "others", s => s.Position == 200, late.Token);
        Assert.NotEmpty(Status(host, "outage").LastError!.Message);
        Assert.True(Status(host, "outage").LastError!.IsTransient);
        await broker.StartAsync();
        await UntilAsync(host, "outage", s => s.Position == 200, late.Token);

        // Away while it is being sent to.
        if (settle is not null)
            await settle();
        var writing = PutAsync(shop, 200, 600);
        await UntilAsync(host, "outage", s => s.Position > 220, late.Token);
        await (kill ? broker.KillAsync() : broker.StopAsync());
        await writing;
        var before = Status(host, "outage").Retries;
        await UntilAsync(
            host,
            "outage",
            s => s.Position == 800 || (s.State == EtlTaskState.Retrying && s.Retries > before),
            late.Token
        );
        await broker.StartAsync();
        Assert.True(await host.DrainAsync(800, late.Token));
        await host.StopAsync(late.Token);

        Assert.Equal(0, Status(host, "outage").DeadLetters);
        await check(shop);
        Directory.Delete(folder, recursive: true);
    }

    private static async Task PutAsync(Shop shop, int from, int count)
    {
        for (var i = from; i < from + count; i++)
        {
            byte[] document =
            [
                .. System.Text.Encoding.UTF8.GetBytes($$"""{"N": {{i}}, "@metadata": {"@collection": "Things"} }"""),
            ];
            await shop.Database.PutAsync($"things/{i}", document);
        }
    }

    private static EtlTaskStatus Status(EtlHost host, string task) => host.GetStatus().Single(s => s.Name == task);

    private static async Task UntilAsync(
        EtlHost host,
        string task,
        Func<EtlTaskStatus, bool> condition,
        CancellationToken cancellationToken
    )
    {
        using var timer = new PeriodicTimer(TimeSpan.FromMilliseconds(20));
        while (!condition(Status(host, task)))
        {
            try
            {
                await timer.WaitForNextTickAsync(cancellationToken);
            }
            catch (OperationCanceledException)
            {
                throw new TimeoutException($"{task} did not get there: {Status(host, task)}");
            }
        }
    }
}
