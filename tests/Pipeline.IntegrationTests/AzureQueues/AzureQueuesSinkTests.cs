using System.Text;
using Pipeline.Etl.Connectors;
using Pipeline.Etl.Connectors.AzureQueues;
using Pipeline.IntegrationTests.Independent;
using Pipeline.TestKit.Services;
using Xunit;
using static Pipeline.IntegrationTests.Sinks;

namespace Pipeline.IntegrationTests.AzureQueues;

[Collection(BrokerTests.Name)]
public sealed class AzureQueuesSinkTests(Services services)
{
    [SkippableTheory]
    [InlineData(AzureQueueEncoding.Base64)]
    [InlineData(AzureQueueEncoding.None)]
    public async Task Every_message_arrives_with_its_attributes_in_the_order_of_its_key(AzureQueueEncoding encoding)
    {
        var endpoint = (await services.AzureQueues.UseAsync()).Endpoint;
        var queue = NewName("all");
        await using var connector = Connector(
            new AzureQueuesOptions
            {
                ConnectionString = endpoint,
                Encoding = encoding,
                MaxParallel = 4,
            }
        );
        await using var sink = Sink(connector);
        Assert.Null(await sink.ConnectAsync(default));
        var messages = Messages.Many(queue, 200);
        Assert.All(messages, m => Assert.Null(sink.FindFault(m)));
        Assert.Empty(await sink.SendAsync(Messages.Batch(messages), default));

        var got = await AzureQueueReader.ReadAllAsync(endpoint, queue, encoding == AzureQueueEncoding.Base64);

        Assert.Equal(messages.Select(m => m.Id).Order(), got.Select(m => m.GetProperty("id").GetString()).Order());
        foreach (var key in messages.GroupBy(m => m.Key))
        {
            Assert.Equal(
                key.Select(m => m.Id),
                got.Where(m => m.GetProperty("partitionkey").GetString() == key.Key)
                    .Select(m => m.GetProperty("id").GetString())
            );
        }

        var first = got.Single(m => m.GetProperty("id").GetString() == "db/task/1/0");
        Assert.Equal("1.0", first.GetProperty("specversion").GetString());
        Assert.Equal("shop/Orders", first.GetProperty("source").GetString());
        Assert.Equal("order.changed", first.GetProperty("type").GetString());
        Assert.Equal("orders/1", first.GetProperty("subject").GetString());
        Assert.Equal("application/json", first.GetProperty("datacontenttype").GetString());
        Assert.Equal(Messages.Time.AddMilliseconds(1), first.GetProperty("time").GetDateTimeOffset());
        Assert.Equal("Ærø \u2713 \"quoted\" <&>", first.GetProperty("data").GetProperty("text").GetString());
    }

    [SkippableTheory]
    [InlineData(AzureQueueEncoding.Base64)]
    [InlineData(AzureQueueEncoding.None)]
    public async Task The_largest_message_that_is_let_through_is_taken_and_one_byte_more_is_known_before_sending(
        AzureQueueEncoding encoding
    )
    {
        var endpoint = (await services.AzureQueues.UseAsync()).Endpoint;
        var queue = NewName("size");
        await using var connector = Connector(
            new AzureQueuesOptions { ConnectionString = endpoint, Encoding = encoding }
        );
        await using var sink = Sink(connector);
        await sink.ConnectAsync(default);
        var frame = JsonLength(Messages.Make(queue, 1, body: "\"\""));
        var limit = encoding == AzureQueueEncoding.Base64 ? 65_536 / 4 * 3 : 65_536;
        var largest = Messages.Make(queue, 1, body: $"\"{new string('x', limit - frame)}\"");
        var over = Messages.Make(queue, 2, body: $"\"{new string('x', limit - frame + 1)}\"");

        Assert.Null(sink.FindFault(largest));
        Assert.Contains("Azure Queue Storage takes 65536", sink.FindFault(over));
        Assert.Empty(await sink.SendAsync(Messages.Batch([largest]), default));
        Assert.Single(await AzureQueueReader.ReadAllAsync(endpoint, queue, encoding == AzureQueueEncoding.Base64));
    }

    [SkippableFact]
    public async Task With_create_false_a_missing_queue_is_the_messages_fault()
    {
        var endpoint = (await services.AzureQueues.UseAsync()).Endpoint;
        await using var connector = Connector(new AzureQueuesOptions { ConnectionString = endpoint, Create = false });
        await using var sink = Sink(connector);
        await sink.ConnectAsync(default);
        var failure = Assert.Single(await sink.SendAsync(Messages.Batch([Messages.Make("not-there", 1)]), default));
        Assert.Contains("queue 'not-there' does not exist", failure.Reason);
    }

    [SkippableFact]
    public async Task A_wrong_key_is_permanent_and_is_not_printed()
    {
        var endpoint = (await services.AzureQueues.UseAsync()).Endpoint;
        var key = Convert.ToBase64String(Encoding.UTF8.GetBytes("not the account's key"));
        var wrong = string.Join(
            ';',
            endpoint.Split(';').Select(p => p.StartsWith("AccountKey=") ? "AccountKey=" + key : p)
        );
        await using var connector = Connector(new AzureQueuesOptions { ConnectionString = wrong });
        await using var sink = Sink(connector);
        var error = await Assert.ThrowsAsync<ConnectorException>(() => sink.ConnectAsync(default).AsTask());
        Assert.False(error.IsTransient);
        Assert.Contains("403", error.Message);
        Assert.DoesNotContain(key, error.ToString());
    }

    [SkippableFact]
    public async Task Nobody_at_the_address_is_transient()
    {
        var endpoint = $"AccountName=a;AccountKey=aGVq;QueueEndpoint=http://127.0.0.1:{FreePorts.Find()}/a";
        await using var connector = Connector(new AzureQueuesOptions { ConnectionString = endpoint });
        var error = await Assert.ThrowsAsync<ConnectorException>(() => connector.CheckHealthAsync(default).AsTask());
        Assert.True(error.IsTransient);
        Assert.Contains("no answer", error.Message);
    }

    private static int JsonLength(OutgoingMessage message)
    {
        using var writer = new CloudEventJson();
        var buffer = new System.Buffers.ArrayBufferWriter<byte>();
        writer.Write(message, buffer);
        return buffer.WrittenCount;
    }
}
