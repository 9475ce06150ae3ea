using System.Text;
using Pipeline.Etl.Connectors;
using Pipeline.Etl.Connectors.RabbitMq;
using Pipeline.TestKit.Logging;
using RabbitMQ.Client;
using Xunit;
using static Pipeline.IntegrationTests.Sinks;

namespace Pipeline.IntegrationTests.RabbitMq;

[Collection(BrokerTests.Name)]
public sealed class RabbitMqSinkTests(Services services)
{
    [SkippableTheory]
    [InlineData(RabbitMqQueueType.Classic)]
    [InlineData(RabbitMqQueueType.Quorum)]
    public async Task Every_message_arrives_in_order_with_its_attributes(RabbitMqQueueType type)
    {
        var endpoint = (await services.RabbitMq.UseAsync()).Endpoint;
        var queue = NewName("all");
        await using var connector = Connector(
            new RabbitMqOptions
            {
                Uri = endpoint,
                QueueType = type,
                MaxUnconfirmed = 100,
            }
        );
        await using var sink = Sink(connector);
        Assert.Null(await sink.ConnectAsync(default));
        var messages = Messages.Many(queue, 2_000);
        foreach (var part in messages.Chunk(900))
            Assert.Empty(await sink.SendAsync(Messages.Batch(part), default));

        var got = await ReadAllAsync(endpoint, queue);

        Assert.Equal(messages.Select(m => m.Id), got.Select(m => m.BasicProperties.MessageId));
        var first = got[0];
        Assert.Equal("""{"n":1,"text":"Ærø \u2713 \"quoted\" <&>"}""", Encoding.UTF8.GetString(first.Body.Span));
        Assert.True(first.BasicProperties.Persistent);
        Assert.Equal("application/json", first.BasicProperties.ContentType);
        var headers = first
            .BasicProperties.Headers!.Where(h => h.Key.StartsWith("cloudEvents", StringComparison.Ordinal))
            .ToDictionary(h => h.Key, h => Encoding.UTF8.GetString((byte[])h.Value!));
        Assert.Equal(
            [
                "cloudEvents:id",
                "cloudEvents:source",
                "cloudEvents:specversion",
                "cloudEvents:subject",
                "cloudEvents:time",
                "cloudEvents:type",
            ],
            headers.Keys.Order(StringComparer.Ordinal)
        );
        Assert.Equal("db/task/1/0", headers["cloudEvents:id"]);
        Assert.Equal("shop/Orders", headers["cloudEvents:source"]);
        Assert.Equal("order.changed", headers["cloudEvents:type"]);
        Assert.Equal("orders/1", headers["cloudEvents:subject"]);
        Assert.Equal("1.0", headers["cloudEvents:specversion"]);
        Assert.Equal(Messages.Time.AddMilliseconds(1), DateTimeOffset.Parse(headers["cloudEvents:time"]));
    }

    [SkippableTheory]
    [InlineData(
        CloudEventAttributes.Required,
        "cloudEvents:id cloudEvents:source cloudEvents:specversion cloudEvents:type"
    )]
    [InlineData(CloudEventAttributes.None, "")]
    public async Task A_message_bears_the_attributes_that_are_chosen_and_its_id_always(
        CloudEventAttributes attributes,
        string expected
    )
    {
        var endpoint = (await services.RabbitMq.UseAsync()).Endpoint;
        var queue = NewName("attributes");
        await using var connector = Connector(new RabbitMqOptions { Uri = endpoint, CloudEvents = attributes });
        await using var sink = Sink(connector);
        await sink.ConnectAsync(default);
        Assert.Empty(await sink.SendAsync(Messages.Batch([Messages.Make(queue, 1)]), default));
        var got = Assert.Single(await ReadAllAsync(endpoint, queue));
        Assert.Equal(
            ("db/task/1/0", "application/json", true),
            (got.BasicProperties.MessageId, got.BasicProperties.ContentType, got.BasicProperties.Persistent)
        );
        Assert.Equal(
            expected,
            string.Join(
                ' ',
                (got.BasicProperties.Headers ?? new Dictionary<string, object?>()).Keys.Order(StringComparer.Ordinal)
            )
        );
    }

    [SkippableFact]
    public async Task A_message_that_no_queue_takes_comes_back_and_the_others_arrive()
    {
        var endpoint = (await services.RabbitMq.UseAsync()).Endpoint;
        var (there, missing) = (NewName("there"), NewName("missing"));
        await DeclareAsync(
            endpoint,
            c => c.QueueDeclareAsync(there, durable: true, exclusive: false, autoDelete: false)
        );
        await using var connector = Connector(new RabbitMqOptions { Uri = endpoint, Create = false });
        await using var sink = Sink(connector);
        await sink.ConnectAsync(default);
        List<OutgoingMessage> messages =
        [
            Messages.Make(there, 1),
            Messages.Make(missing, 2),
            Messages.Make(there, 3),
            Messages.Make(missing, 4),
        ];

        var failures = await sink.SendAsync(Messages.Batch(messages), default);

        Assert.Equal([2, 4], failures.Select(f => f.Message.Position));
        Assert.All(failures, f => Assert.Contains("NO_ROUTE", f.Reason));
        Assert.Equal(
            ["db/task/1/0", "db/task/3/0"],
            (await ReadAllAsync(endpoint, there)).Select(m => m.BasicProperties.MessageId)
        );
    }

    [SkippableFact]
    public async Task A_queue_deleted_while_the_task_runs_is_declared_again_and_no_message_is_lost()
    {
        var endpoint = (await services.RabbitMq.UseAsync()).Endpoint;
        var queue = NewName("deleted");
        await using var connector = Connector(new RabbitMqOptions { Uri = endpoint });
        await using var sink = Sink(connector);
        await sink.ConnectAsync(default);
        await sink.SendAsync(Messages.Batch([Messages.Make(queue, 1)]), default);
        await DeclareAsync(endpoint, c => c.QueueDeleteAsync(queue));

        Assert.Empty(await sink.SendAsync(Messages.Batch([Messages.Make(queue, 2), Messages.Make(queue, 3)]), default));

        Assert.Equal(
            ["db/task/2/0", "db/task/3/0"],
            (await ReadAllAsync(endpoint, queue)).Select(m => m.BasicProperties.MessageId)
        );
    }

    [SkippableFact]
    public async Task At_an_exchange_the_key_is_the_routing_key_or_else_the_destination()
    {
        var endpoint = (await services.RabbitMq.UseAsync()).Endpoint;
        var (exchange, queue) = (NewName("exchange"), NewName("bound"));
        var log = new CapturedLines();
        await using var connector = Connector(new RabbitMqOptions { Uri = endpoint, Exchange = exchange }, log);
        await using var sink = Sink(connector, loggers: log);
        await sink.ConnectAsync(default); // declares the exchange
        Assert.Contains($"Connection rabbitmq: exchange {exchange} was declared", log.Messages.Select(m => m.Text));
        await DeclareAsync(
            endpoint,
            async c =>
            {
                await c.QueueDeclareAsync(queue, durable: true, exclusive: false, autoDelete: false);
                await c.QueueBindAsync(queue, exchange, "orders.*");
            }
        );

        var failures = await sink.SendAsync(
            Messages.Batch([
                Messages.Make("x", 1, key: "orders.dk"),
                Messages.Make("orders.none", 2),
                Messages.Make("x", 3, key: "returns.dk"),
            ]),
            default
        );

        Assert.Equal(3, Assert.Single(failures).Message.Position);
        Assert.Equal(["orders.dk", "orders.none"], (await ReadAllAsync(endpoint, queue)).Select(m => m.RoutingKey));
    }

    [SkippableFact]
    public async Task Queues_that_others_declared_are_used_as_they_are()
    {
        var endpoint = (await services.RabbitMq.UseAsync()).Endpoint;
        var queue = NewName("others");
        await DeclareAsync(
            endpoint,
            c =>
                c.QueueDeclareAsync(
                    queue,
                    durable: true,
                    exclusive: false,
                    autoDelete: false,
                    new Dictionary<string, object?> { ["x-max-length"] = 10 }
                )
        );
        await using var connector = Connector(
            new RabbitMqOptions { Uri = endpoint, QueueType = RabbitMqQueueType.Quorum }
        );
        await using var sink = Sink(connector);
        await sink.ConnectAsync(default);
        Assert.Empty(await sink.SendAsync(Messages.Batch([Messages.Make(queue, 1)]), default));
        Assert.Single(await ReadAllAsync(endpoint, queue));
    }

    [SkippableFact]
    public async Task A_wrong_password_is_permanent_and_is_not_printed()
    {
        var endpoint = new Uri((await services.RabbitMq.UseAsync()).Endpoint);
        await using var connector = Connector(
            new RabbitMqOptions { Uri = $"amqp://guest:hunter2@{endpoint.Authority}/" }
        );
        await using var sink = Sink(connector);
        var error = await Assert.ThrowsAsync<ConnectorException>(() => sink.ConnectAsync(default).AsTask());
        Assert.False(error.IsTransient);
        Assert.Contains($"RabbitMQ at {endpoint.Authority}", error.Message);
        Assert.DoesNotContain("hunter2", error.ToString());
    }

    [SkippableFact]
    public async Task Nobody_at_the_address_is_transient()
    {
        var port = Pipeline.TestKit.Services.FreePorts.Find();
        await using var connector = Connector(new RabbitMqOptions { Uri = $"amqp://guest:guest@127.0.0.1:{port}/" });
        await using var sink = Sink(connector);
        var error = await Assert.ThrowsAsync<ConnectorException>(() => sink.ConnectAsync(default).AsTask());
        Assert.True(error.IsTransient);
        Assert.Contains($"RabbitMQ at 127.0.0.1:{port}", error.Message);
        var health = await Assert.ThrowsAsync<ConnectorException>(() => connector.CheckHealthAsync(default).AsTask());
        Assert.True(health.IsTransient);
    }

    [Fact]
    public async Task What_AMQP_cannot_carry_is_known_before_sending()
    {
        await using var connector = Connector(
            new RabbitMqOptions { Uri = "amqp://localhost/", MaxMessageBytes = 1_000 }
        );
        await using var sink = Sink(connector);
        Assert.Contains(
            "maxMessageBytes of connection 'rabbitmq' is 1000",
            sink.FindFault(Messages.Make("q", 1, body: new string(' ', 1_001)))
        );
        Assert.Contains("256 bytes, AMQP allows 255", sink.FindFault(Messages.Make(new string('ø', 128), 1)));
        Assert.Contains("the broker's own", sink.FindFault(Messages.Make("amq.direct", 1)));
        Assert.Null(sink.FindFault(Messages.Make("q", 1, body: new string(' ', 1_000))));
    }

    private static async Task DeclareAsync(string endpoint, Func<IChannel, Task> declare)
    {
        await using var connection = await new ConnectionFactory { Uri = new Uri(endpoint) }.CreateConnectionAsync();
        await using var channel = await connection.CreateChannelAsync();
        await declare(channel);
    }

    private static async Task<List<BasicGetResult>> ReadAllAsync(string endpoint, string queue)
    {
        await using var connection = await new ConnectionFactory { Uri = new Uri(endpoint) }.CreateConnectionAsync();
        await using var channel = await connection.CreateChannelAsync();
        var all = new List<BasicGetResult>();
        while (await channel.BasicGetAsync(queue, autoAck: true) is { } got)
            all.Add(got);
        return all;
    }
}
