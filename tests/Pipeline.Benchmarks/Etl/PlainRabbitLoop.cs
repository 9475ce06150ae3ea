using System.Diagnostics;
using Pipeline.Benchmarks.Subscriptions;
using RabbitMQ.Client;

namespace Pipeline.Benchmarks.Etl;

/// <summary>
/// The limit set by the client library and the broker (M2): persistent messages to a dedicated durable queue, at most
/// 1,000 unconfirmed, and no database. Without headers this is M2; with the headers that CloudEvents requires, it shows
/// their cost.
/// </summary>
internal static class PlainRabbitLoop
{
    private const int Window = 1_000;

    /// <summary>The client library tracks each message's confirm.</summary>
    public static async Task<double> TrackedAsync(
        string uri,
        string type,
        MessageDocuments documents,
        int warmup,
        int messages
    )
    {
        await using var connection = await RabbitPeer.ConnectAsync(uri);
        var queue = await RabbitPeer.DeclareAsync(connection, $"m2-{Guid.NewGuid():N}", type);
        await using var channel = await connection.CreateChannelAsync(RabbitPeer.Confirmed);
        var window = new Task[Window];
        Array.Fill(window, Task.CompletedTask);
        async Task SendAsync(int from, int to)
        {
            for (var i = from; i < to; i++)
            {
                await window[i % Window];
                window[i % Window] = PublishAsync(channel, queue, documents, i, headers: false).AsTask();
            }

            await Task.WhenAll(window);
        }

        await SendAsync(0, warmup);
        var clock = new Clock();
        await SendAsync(warmup, warmup + messages);
        var rate = messages / clock.Seconds;
        await RabbitPeer.DeleteAsync(connection, queue);
        return rate;
    }

    /// <summary>Confirms are counted from the channel's events.</summary>
    public static async Task<double> CountedAsync(
        string uri,
        string type,
        MessageDocuments documents,
        int warmup,
        int messages,
        bool headers
    )
    {
        await using var connection = await RabbitPeer.ConnectAsync(uri);
        var queue = await RabbitPeer.DeclareAsync(connection, $"m2-{Guid.NewGuid():N}", type);
        await using var channel = await connection.CreateChannelAsync(
            new CreateChannelOptions(publisherConfirmationsEnabled: true, publisherConfirmationTrackingEnabled: false)
        );
        using var room = new SemaphoreSlim(Window);
        var confirmed = new bool[warmup + messages + 1];
        ulong low = 1;
        var refused = false;
        channel.BasicNacksAsync += (_, _) => Refuse();
        channel.BasicReturnAsync += (_, _) => Refuse();
        channel.BasicAcksAsync += (_, ack) =>
        {
            var count = 0;
            for (var tag = ack.Multiple ? low : ack.DeliveryTag; tag <= ack.DeliveryTag; tag++)
            {
                if (confirmed[tag])
                    continue;
                confirmed[tag] = true;
                count++;
            }

            if (ack.Multiple)
                low = ack.DeliveryTag + 1;
            if (count > 0)
                room.Release(count);
            return Task.CompletedTask;
        };
        async Task SendAsync(int from, int to)
        {
            for (var i = from; i < to; i++)
            {
                await room.WaitAsync();
                await PublishAsync(channel, queue, documents, i, headers);
            }

            for (var i = 0; i < Window; i++)
                await room.WaitAsync();
            room.Release(Window);
        }

        await SendAsync(0, warmup);
        var clock = new Clock();
        await SendAsync(warmup, warmup + messages);
        var rate = messages / clock.Seconds;
        if (refused)
            throw new BenchmarkException("the broker refused messages");
        await RabbitPeer.DeleteAsync(connection, queue);
        return rate;

        Task Refuse()
        {
            refused = true;
            return Task.CompletedTask;
        }
    }

    /// <summary>
    /// One message after another each 10 ms on a warm connection: from the call until it is confirmed.
    /// </summary>
    public static async Task<long[]> LatencyAsync(string uri, string type, MessageDocuments documents, int count)
    {
        await using var connection = await RabbitPeer.ConnectAsync(uri);
        var queue = await RabbitPeer.DeclareAsync(connection, $"m4-{Guid.NewGuid():N}", type);
        await using var channel = await connection.CreateChannelAsync(RabbitPeer.Confirmed);
        var took = new long[count];
        var due = Stopwatch.GetTimestamp();
        for (var i = 0; i < count; i++)
        {
            Pace.Until(due += Stopwatch.Frequency / 100);
            var start = Stopwatch.GetTimestamp();
            await PublishAsync(channel, queue, documents, i, headers: false);
            took[i] = Stopwatch.GetTimestamp() - start;
        }

        await RabbitPeer.DeleteAsync(connection, queue);
        return took;
    }

    private static ValueTask PublishAsync(
        IChannel channel,
        string queue,
        MessageDocuments documents,
        int i,
        bool headers
    )
    {
        var properties = new BasicProperties
        {
            Persistent = true,
            MessageId = documents.Id(i),
            ContentType = "application/json",
        };
        if (headers)
        {
            properties.Headers = new Dictionary<string, object?>(6)
            {
                ["cloudEvents:specversion"] = "1.0",
                ["cloudEvents:id"] = "Hv6hAWyaGneT0jl2X9XNbA/forward/123456/0",
                ["cloudEvents:source"] = "/databases/bench/etl/forward",
                ["cloudEvents:type"] = "pipeline.document.put",
                ["cloudEvents:subject"] = properties.MessageId,
                ["cloudEvents:time"] = "2026-11-21T10:30:00.0000000Z",
            };
        }

        return channel.BasicPublishAsync("", queue, mandatory: true, properties, documents.Body(i));
    }
}
