using System.Text;
using System.Text.Json;
using Pipeline.Documents;
using RabbitMQ.Client;
using RabbitMQ.Client.Events;

namespace Consumers;

/// <summary>Reads a queue and handles each message once.</summary>
public static class RabbitMqConsumer
{
    /// <summary>Reads until it is cancelled.</summary>
    /// <param name="uri">The broker: amqp://user:password@host:port/.</param>
    /// <param name="queue">The queue.</param>
    /// <param name="inbox">Remembers the handled messages.</param>
    /// <param name="effect">What to do with a message.</param>
    /// <param name="cancellationToken">Ends it.</param>
    public static async Task RunAsync(
        Uri uri,
        string queue,
        MessageInbox inbox,
        Action<DocumentTransaction, ReceivedMessage> effect,
        CancellationToken cancellationToken
    )
    {
        var factory = new ConnectionFactory { Uri = uri };
        await using var connection = await factory.CreateConnectionAsync(cancellationToken);
        await using var channel = await connection.CreateChannelAsync(cancellationToken: cancellationToken);
        await channel.BasicQosAsync(0, prefetchCount: 256, global: false, cancellationToken);
        var consumer = new AsyncEventingBasicConsumer(channel);
        consumer.ReceivedAsync += async (_, delivery) =>
        {
            await inbox.HandleAsync(ToMessage(delivery), effect, cancellationToken);

            // Sent only after the effect is durable. If it is lost, the broker redelivers the message and the inbox
            // drops it.
            await channel.BasicAckAsync(delivery.DeliveryTag, multiple: false, cancellationToken);
        };
        await channel.BasicConsumeAsync(queue, autoAck: false, consumer, cancellationToken);
        await Task.Delay(Timeout.Infinite, cancellationToken).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
    }

    /// <summary>The message of a delivery.</summary>
    /// <remarks>Pipeline sets <c>message-id</c> with every value of <c>cloudEvents</c>; it names database, task and
    /// change. A message of another sender without it cannot be told from a repeat, so each delivery takes effect and
    /// none is lost.</remarks>
    public static ReceivedMessage ToMessage(BasicDeliverEventArgs delivery) =>
        new(
            Header(delivery, "cloudEvents:source"),
            delivery.BasicProperties.MessageId is { Length: > 0 } id ? id : Guid.NewGuid().ToString(),
            Header(delivery, "cloudEvents:type"),
            Header(delivery, "cloudEvents:subject"),
            delivery.Body.IsEmpty ? default : JsonDocument.Parse(delivery.Body.ToArray()).RootElement
        );

    private static string Header(BasicDeliverEventArgs delivery, string name) =>
        delivery.BasicProperties.Headers is { } headers
        && headers.TryGetValue(name, out var value)
        && value is byte[] bytes
            ? Encoding.UTF8.GetString(bytes)
            : "";
}
