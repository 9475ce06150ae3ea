using System.Globalization;
using System.Text.Json;
using Pipeline.IntegrationTests.Faults.Checkers;
using Pipeline.TestKit.Services;
using RabbitMQ.Client;

namespace Pipeline.IntegrationTests.Faults;

/// <summary>The RabbitMQ broker that a second ETL task sends the registers to.</summary>
internal sealed class FaultQueue : IAsyncDisposable
{
    private const string Name = "registers";
    private readonly RabbitMqService _service = new();
    private ITestBroker? _broker;

    /// <summary>The lines of a node's configuration.</summary>
    public string Connection => $"queues: {{ rabbitmq: {{ uri: \"{_broker!.Endpoint}\" }} }}";

    /// <summary>What the task sends.</summary>
    public const string Transform = $"send(\"{Name}\", new {{ doc.Value, Register = id }}, key: id);";

    /// <summary>Starts the broker.</summary>
    /// <exception cref="Xunit.SkipException">RabbitMQ is not installed.</exception>
    public async Task StartAsync() => _broker = await _service.StartOwnAsync();

    public Task KillAsync() => _broker!.KillAsync();

    public Task ReturnAsync() => _broker!.StartAsync();

    /// <summary>Takes all messages, in the queue's order.</summary>
    public async Task<IReadOnlyList<QueuedMessage>> TakeAllAsync()
    {
        await using var connection = await new ConnectionFactory
        {
            Uri = new Uri(_broker!.Endpoint),
        }.CreateConnectionAsync();
        await using var channel = await connection.CreateChannelAsync();
        var all = new List<QueuedMessage>();
        while (await channel.BasicGetAsync(Name, autoAck: true) is { } got)
        {
            var body = JsonSerializer.Deserialize<JsonElement>(got.Body.Span);
            var register = body.GetProperty("Register").GetString()!.Split('/')[1];
            all.Add(
                new QueuedMessage(
                    got.BasicProperties.MessageId!,
                    int.Parse(register, CultureInfo.InvariantCulture),
                    body.GetProperty("Value").GetInt64()
                )
            );
        }
        return all;
    }

    public async ValueTask DisposeAsync()
    {
        if (_broker is not null)
            await _broker.DisposeAsync();
        await _service.DisposeAsync();
    }
}
