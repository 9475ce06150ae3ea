using System.Text.Json;
using Azure.Storage.Blobs;
using AzureFunction;
using Pipeline.IntegrationTests.Independent;
using Pipeline.IntegrationTests.WholePath;
using Xunit;

namespace Pipeline.IntegrationTests.Samples;

/// <summary>
/// The C# function's own work (samples/AzureFunction/csharp/OrderHandler.cs) over what a task has put into a queue,
/// read by Azure's client.
/// </summary>
[Collection(BrokerTests.Name)]
public sealed class OrderHandlerTests(Services services)
{
    [SkippableFact]
    public async Task Orders_are_handled_once_large_ones_by_their_claim_and_what_holds_no_order_fails()
    {
        var connection = await AzureFunctionTests.ConnectionAsync(services);
        var queue = Sinks.NewName("handled");
        await using var shop = new Shop();
        await shop.Database.PutAsync(
            "orders/1",
            """{"Lines":[1,2],"@metadata":{"@collection":"Orders"} }"""u8.ToArray()
        );
        await shop.Database.PutAsync(
            "orders/large",
            JsonSerializer.SerializeToUtf8Bytes(
                new Dictionary<string, object>
                {
                    ["Text"] = new string('x', 100_000),
                    ["Lines"] = new[] { 1 },
                    ["@metadata"] = new Dictionary<string, string> { ["@collection"] = "Orders" },
                }
            )
        );
        await shop.RunAsync(
            $"  target: {{ azureQueues: {{ connectionString: \"{connection}\", oversize: claim-check }} }}",
            $$"""
            etl:
              - { name: orders, from: [Orders], to: target, transform: 'send("{{queue}}", new { Id = id, Lines = doc.Lines.Count(), doc.Text }, key: id);' }
            """
        );
        var messages = (await AzureQueueReader.ReadAllAsync(connection, queue, base64: true)).ConvertAll(m =>
            m.GetRawText()
        );
        Assert.Equal(2, messages.Count);
        Assert.Single(messages, m => m.Contains("dataref", StringComparison.Ordinal));

        var blobs = new Blobs(
            new AzureBlobs(
                new BlobServiceClient(connection, new BlobClientOptions(BlobClientOptions.ServiceVersion.V2021_12_02))
            )
        );
        var handler = new OrderHandler(blobs);
        foreach (var isNew in (bool[])[true, false])
        {
            foreach (var message in messages)
                Assert.Equal(isNew, (await handler.HandleAsync(message, CancellationToken.None)).IsNew);
        }

        Assert.Equal(
            ["orders/1 2", "orders/large 1"],
            blobs
                .Made.Values.Select(v => JsonDocument.Parse(v).RootElement)
                .Select(r => $"{r.GetProperty("order").GetString()} {r.GetProperty("lines").GetInt32()}")
                .Order(StringComparer.Ordinal)
        );
    }

    [Theory]
    [InlineData("{}", "not a CloudEvent 1.0")]
    [InlineData("[1]", "not a CloudEvent 1.0")]
    [InlineData("""{"specversion":"1.0","id":"7","source":"s"}""", "7: there is no order in it")]
    [InlineData("""{"specversion":"1.0","id":"7","source":"s","data":{"Id":null}}""", "7: there is no order in it")]
    public async Task What_is_no_order_is_refused_and_nothing_is_written(string message, string expected)
    {
        var blobs = new Blobs(null);
        var error = await Assert.ThrowsAsync<FormatException>(() =>
            new OrderHandler(blobs).HandleAsync(message, CancellationToken.None)
        );
        Assert.Contains(expected, error.Message, StringComparison.Ordinal);
        Assert.Empty(blobs.Made);
    }

    /// <summary>
    /// Records the blobs that the sample makes, and passes calls on to its real access. Without an account, any call
    /// fails.
    /// </summary>
    private sealed class Blobs(IBlobs? account) : IBlobs
    {
        public Dictionary<string, string> Made { get; } = [];

        public async Task<bool> TryCreateAsync(
            string container,
            string name,
            string content,
            CancellationToken cancellationToken
        )
        {
            var isNew = await account!.TryCreateAsync(container, name, content, cancellationToken);
            Assert.Equal(isNew, Made.TryAdd($"{container}/{name}", content));
            return isNew;
        }

        public Task<string> ReadAsync(Uri address, CancellationToken cancellationToken) =>
            account!.ReadAsync(address, cancellationToken);
    }
}
