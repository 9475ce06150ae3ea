using System.Diagnostics;
using Pipeline.Benchmarks.Etl;
using RabbitMQ.Client;
using RabbitMQ.Client.Events;

namespace Pipeline.Benchmarks.Subscriptions;

/// <summary>
/// RabbitMQ's consumer on M3 and M4: persistent messages of a durable queue, prefetch 1,000, manual acknowledgement.
/// Each case has a fresh queue, filled alike.
/// </summary>
internal static class RabbitPeer
{
    private const int Window = 1_000;
    private static readonly string[] Types = ["classic", "quorum"];

    /// <summary>M3: an acknowledgement for each message, and one for each 1,000.</summary>
    public static async Task RateAsync(string uri, MessageDocuments documents, int messages, int round)
    {
        foreach (var type in Types)
        {
            foreach (var every in (int[])[1, Window])
            {
                await using var connection = await ConnectAsync(uri);
                var queue = await DeclareAsync(connection, $"m3-{type}-{every}-{round}-{Environment.ProcessId}", type);
                await FillAsync(connection, queue, documents, messages);
                await using var channel = await connection.CreateChannelAsync();
                await channel.BasicQosAsync(0, Window, global: false);
                var done = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
                var consumer = new AsyncEventingBasicConsumer(channel);
                var taken = 0;
                consumer.ReceivedAsync += async (_, delivery) =>
                {
                    taken++;
                    if (taken % every == 0 || taken == messages)
                        await channel.BasicAckAsync(delivery.DeliveryTag, multiple: every > 1);
                    if (taken == messages)
                        done.TrySetResult();
                };
                var clock = new Clock();
                await channel.BasicConsumeAsync(queue, autoAck: false, consumer);
                await done.Task.WaitAsync(TimeSpan.FromSeconds(120));
                var (seconds, cpu) = (clock.Seconds, clock.CpuSeconds);
                if (round > 0)
                {
                    Report.Figure("M3", $"rabbitmq-{type}-ack-{every}", "rate", messages / seconds, "1/s");
                    Report.Figure("M3", $"rabbitmq-{type}-ack-{every}", "cpu-client", cpu / messages * 1e6, "us/doc");
                }

                await channel.CloseAsync();
                await DeleteAsync(connection, queue);
            }
        }
    }

    /// <summary>
    /// M4: confirms are on and not awaited before the next message; the consumer is on another connection and
    /// acknowledges each.
    /// </summary>
    public static async Task LatencyAsync(string uri, MessageDocuments documents, int round)
    {
        var count = round > 0 ? SubscriptionBenchmarks.IdleMessages : SubscriptionBenchmarks.IdleMessages / 5;
        foreach (var type in Types)
        {
            await using var connection = await ConnectAsync(uri);
            var queue = await DeclareAsync(connection, $"m4-{type}-{round}-{Environment.ProcessId}", type);
            await using var sender = await connection.CreateChannelAsync(Confirmed);
            await using var other = await ConnectAsync(uri);
            await using var receiver = await other.CreateChannelAsync();
            await receiver.BasicQosAsync(0, Window, global: false);
            var (sent, taken, confirms) = (new long[count], new long[count], new Task[count]);
            var done = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            var consumer = new AsyncEventingBasicConsumer(receiver);
            var next = 0;
            consumer.ReceivedAsync += async (_, delivery) =>
            {
                taken[next++] = Stopwatch.GetTimestamp();
                await receiver.BasicAckAsync(delivery.DeliveryTag, multiple: false);
                if (next == count)
                    done.TrySetResult();
            };
            await receiver.BasicConsumeAsync(queue, autoAck: false, consumer);
            var due = Stopwatch.GetTimestamp();
            for (var i = 0; i < count; i++)
            {
                Pace.Until(due += Stopwatch.Frequency / 100);
                sent[i] = Stopwatch.GetTimestamp();
                confirms[i] = PublishAsync(sender, queue, documents, i).AsTask();
            }

            await done.Task.WaitAsync(TimeSpan.FromSeconds(60));
            await Task.WhenAll(confirms);
            if (round > 0)
                SubscriptionBenchmarks.ReportLatencies("M4", "rabbitmq-" + type, [.. taken.Zip(sent, (t, s) => t - s)]);
            await DeleteAsync(connection, queue);
        }
    }

    internal static CreateChannelOptions Confirmed =>
        new(
            publisherConfirmationsEnabled: true,
            publisherConfirmationTrackingEnabled: true,
            outstandingPublisherConfirmationsRateLimiter: null
        );

    internal static Task<IConnection> ConnectAsync(string uri) =>
        new ConnectionFactory { Uri = new Uri(uri) }.CreateConnectionAsync();

    internal static async Task<string> DeclareAsync(IConnection connection, string queue, string type)
    {
        await using var channel = await connection.CreateChannelAsync();
        await channel.QueueDeclareAsync(
            queue,
            durable: true,
            exclusive: false,
            autoDelete: false,
            new Dictionary<string, object?> { ["x-queue-type"] = type }
        );
        return queue;
    }

    internal static async Task DeleteAsync(IConnection connection, string queue)
    {
        await using var channel = await connection.CreateChannelAsync();
        await channel.QueueDeleteAsync(queue);
    }

    private static async Task FillAsync(IConnection connection, string queue, MessageDocuments documents, int messages)
    {
        await using var channel = await connection.CreateChannelAsync(Confirmed);
        var ring = new Task[Window];
        Array.Fill(ring, Task.CompletedTask);
        for (var i = 0; i < messages; i++)
        {
            await ring[i % Window];
            ring[i % Window] = PublishAsync(channel, queue, documents, i).AsTask();
        }

        await Task.WhenAll(ring);
    }

    private static ValueTask PublishAsync(IChannel channel, string queue, MessageDocuments documents, int i) =>
        channel.BasicPublishAsync(
            "",
            queue,
            mandatory: true,
            new BasicProperties
            {
                Persistent = true,
                ContentType = "application/json",
                MessageId = documents.Id(i),
            },
            documents.Body(i)
        );
}
