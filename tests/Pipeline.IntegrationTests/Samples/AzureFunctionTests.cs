using System.Text.Json;
using Pipeline.Configuration;
using Pipeline.Configuration.Testing;
using Pipeline.IntegrationTests.Independent;
using Pipeline.IntegrationTests.WholePath;
using Pipeline.TestKit.Files;
using Pipeline.Yaml;
using Xunit;

namespace Pipeline.IntegrationTests.Samples;

/// <summary>
/// samples/AzureFunction against Azurite. A host receives the task's messages as Azure Functions does (Base64, five
/// tries, then the poison queue). The host is written with Azure's client libraries and calls the sample's function.
/// </summary>
[Collection(BrokerTests.Name)]
public sealed class AzureFunctionTests(Services services)
{
    /// <summary>The queue side of a Functions host, as its documentation describes it.</summary>
    private const string Host = """
        const { QueueServiceClient } = require('@azure/storage-queue');
        const { BlobServiceClient } = require('@azure/storage-blob');
        const [queue, handler, maxDequeueCount] = [process.argv[1], process.argv[2], 5];
        const { handle } = require(handler);
        (async () => {
          const queues = QueueServiceClient.fromConnectionString(process.env.CONNECTION);
          const blobs = BlobServiceClient.fromConnectionString(process.env.CONNECTION);
          const source = queues.getQueueClient(queue), poison = queues.getQueueClient(queue + '-poison');
          for (;;) {
            const got = await source.receiveMessages({ numberOfMessages: 16, visibilityTimeout: 60 });
            if (got.receivedMessageItems.length === 0) break;
            for (const message of got.receivedMessageItems) {
              let event = null;
              try {
                event = JSON.parse(Buffer.from(message.messageText, 'base64').toString('utf8'));
                const handled = await handle(event, blobs);
                await source.deleteMessage(message.messageId, message.popReceipt);
                console.log(JSON.stringify({ id: event.id, subject: event.subject, handled, claim: !!event.dataref, trace: event.traceparent || null }));
              } catch (error) {
                if (message.dequeueCount < maxDequeueCount) {
                  await source.updateMessage(message.messageId, message.popReceipt, message.messageText, 0);
                } else {
                  await poison.createIfNotExists();
                  await poison.sendMessage(message.messageText);
                  await source.deleteMessage(message.messageId, message.popReceipt);
                  console.log(JSON.stringify({ poison: event && event.id, tries: message.dequeueCount, error: error.message }));
                }
              }
            }
          }
        })().catch(e => { console.error(e); process.exit(1); });
        """;

    [SkippableFact]
    public async Task Orders_are_handled_once_large_ones_by_claim_check_and_what_fails_becomes_poison()
    {
        var connection = await ConnectionAsync(services);
        var queue = Sinks.NewName("orders");
        await using var shop = new Shop();
        await shop.Database.WriteAsync(t =>
        {
            for (var n = 1; n <= 30; n++)
            {
                t.Put(
                    $"orders/{n}",
                    System.Text.Encoding.UTF8.GetBytes(
                        $$"""{"Company":"companies/{{n}}","Lines":[1,2],"@metadata":{"@collection":"Orders"} }"""
                    )
                );
            }
        });
        await shop.Database.PutAsync(
            "orders/large",
            System.Text.Encoding.UTF8.GetBytes(
                $$"""{"Text":"{{new string('x', 100_000)}}","Lines":[1],"@metadata":{"@collection":"Orders","traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"} }"""
            )
        );
        await shop.Database.PutAsync(
            "orders/bad",
            """{"Bad":true,"@metadata":{"@collection":"Orders"} }"""u8.ToArray()
        );
        var task = $$"""
            etl:
              - name: orders
                from: [Orders]
                to: target
                transform: |
                  send("{{queue}}", new { Id = doc.Bad == true ? null : id, doc.Company, Lines = doc.Lines == null ? 0 : doc.Lines.Count(), doc.Text }, key: id);
            """;
        var target =
            $"  target: {{ azureQueues: {{ connectionString: \"{connection}\", oversize: claim-check, requestTimeout: 10s }} }}";
        await shop.RunAsync(target, task);

        var handler = Path.Combine(RepositoryTree.Root, "samples", "AzureFunction", "javascript", "handle.js");
        var first = Tool.ParseLines(await AzureScript.RunAsync(Host, connection, queue, handler));
        var handled = first.Where(l => l.TryGetProperty("handled", out _)).ToList();
        Assert.Equal(31, handled.Count);
        Assert.All(handled, h => Assert.True(h.GetProperty("handled").GetBoolean()));
        var large = handled.Single(h => h.GetProperty("claim").GetBoolean());
        Assert.Equal("orders/large", large.GetProperty("subject").GetString());
        Assert.Equal("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", large.GetProperty("trace").GetString());
        var poison = first.Single(l => l.TryGetProperty("poison", out _));
        Assert.Equal(5, poison.GetProperty("tries").GetInt32());
        Assert.Contains("there is no order in it", poison.GetProperty("error").GetString(), StringComparison.Ordinal);
        Assert.Single(await AzureQueueReader.ReadAllAsync(connection, queue + "-poison", base64: true));

        // The same changes again, as after a crash: the function leaves them out.
        await using var again = shop.Host(target, task);
        await new Pipeline.Etl.Replays.ReplayService(shop.Database).StartAsync(
            "orders",
            new Pipeline.Etl.Replays.ReplayRequest
            {
                Query =
                    $"from Orders where id() in ('orders/large', '{handled[0].GetProperty("subject").GetString()}')",
            }
        );
        again.Start();
        using var late = new CancellationTokenSource(TimeSpan.FromSeconds(60));
        while (new Pipeline.Etl.Replays.ReplayService(shop.Database).Find("orders") is not null)
            await Task.Delay(20, late.Token);
        var second = Tool.ParseLines(await AzureScript.RunAsync(Host, connection, queue, handler));
        Assert.Equal(2, second.Count);
        Assert.All(second, h => Assert.False(h.GetProperty("handled").GetBoolean()));
    }

    [SkippableFact]
    public async Task A_task_that_is_to_fail_at_large_messages_fails_and_says_so()
    {
        var connection = await ConnectionAsync(services);
        await using var shop = new Shop();
        await shop.Database.PutAsync(
            "orders/large",
            System.Text.Encoding.UTF8.GetBytes(
                $$"""{"Text":"{{new string('x', 100_000)}}","@metadata":{"@collection":"Orders"} }"""
            )
        );
        await using var host = shop.Host(
            $"  target: {{ azureQueues: {{ connectionString: \"{connection}\", oversize: fail }} }}",
            "etl: [{ name: t, from: [Orders], to: target, transform: 'send(\"large\", doc);' }]"
        );
        host.Start();
        using var late = new CancellationTokenSource(TimeSpan.FromSeconds(30));
        Assert.False(await host.DrainAsync(1, late.Token));
        Assert.Contains("says oversize: fail", host.GetStatus()[0].LastError!.Message, StringComparison.Ordinal);
    }

    [SkippableFact]
    public async Task A_large_message_that_its_task_has_failed_at_as_often_as_it_may_is_parked_alone()
    {
        var connection = await ConnectionAsync(services);
        var queue = Sinks.NewName("fail");
        await using var shop = new Shop();
        await shop.Database.WriteAsync(t =>
        {
            for (var n = 1; n <= 3; n++)
            {
                t.Put(
                    $"orders/{n}",
                    System.Text.Encoding.UTF8.GetBytes(
                        $$"""{"Text":"{{new string('x', n == 2 ? 100_000 : 10)}}","@metadata":{"@collection":"Orders"} }"""
                    )
                );
            }
        });
        await using var host = shop.Host(
            $"  target: {{ azureQueues: {{ connectionString: \"{connection}\", oversize: fail }} }}",
            $"etl: [{{ name: t, from: [Orders], to: target, transform: 'send(\"{queue}\", doc);', onError: park, retry: {{ failedDelay: 20ms, attempts: {{ permanent: 2 }} }} }}]"
        );
        host.Start();
        using var late = new CancellationTokenSource(TimeSpan.FromSeconds(30));
        while (!await host.DrainAsync(3, late.Token))
            await Task.Delay(20, late.Token);
        Assert.Equal(
            ["orders/1", "orders/3"],
            (await AzureQueueReader.ReadAllAsync(connection, queue, base64: true)).Select(m =>
                m.GetProperty("subject").GetString()
            )
        );
        using var snapshot = shop.Database.OpenSnapshot();
        var letter = Assert.Single(snapshot.GetByCollection("DeadLetters"));
        Assert.Equal(
            ("oversize", "orders/2"),
            (letter.Body.Root["Class"].GetString(), letter.Body.Root["DocumentId"].GetString())
        );
    }

    [Fact]
    public void The_samples_configuration_has_no_fault_and_its_tests_pass()
    {
        var file = Path.Combine(RepositoryTree.Root, "samples", "AzureFunction", "pipeline.yaml");
        Assert.Empty(PipelineConfiguration.Lint(file, EnvironmentVariables.Instance));
        Assert.Equal(
            0,
            TransformTester.Load(file, EnvironmentVariables.Instance).Run(null, null, CancellationToken.None).Failed
        );
        var host = JsonDocument
            .Parse(
                File.ReadAllText(
                    Path.Combine(RepositoryTree.Root, "samples", "AzureFunction", "javascript", "host.json")
                )
            )
            .RootElement;
        Assert.Equal(
            "base64",
            host.GetProperty("extensions").GetProperty("queues").GetProperty("messageEncoding").GetString()
        );
    }

    /// <summary>The queues' connection string with the blobs' address, a port further.</summary>
    internal static async Task<string> ConnectionAsync(Services services)
    {
        var connection = (await services.AzureQueues.UseAsync()).Endpoint;
        if (connection.Contains("BlobEndpoint", StringComparison.Ordinal))
            return connection;
        var match = System.Text.RegularExpressions.Regex.Match(
            connection,
            @"QueueEndpoint=(http://[^:]+):(\d+)(/[^;]+)"
        );
        Skip.IfNot(match.Success, "the queues' address is not one of the emulator's");
        var port = int.Parse(match.Groups[2].Value, System.Globalization.CultureInfo.InvariantCulture) + 1;
        return $"{connection.TrimEnd(';')};BlobEndpoint={match.Groups[1].Value}:{port}{match.Groups[3].Value};";
    }
}
