using System.Text;
using System.Text.Json;
using Confluent.Kafka;

namespace Pipeline.Etl.Connectors.Kafka;

/// <summary>
/// Keeps the position of one task as a record of a compacted topic. The key names the database and the task, the value
/// holds the position.
/// </summary>
/// <remarks>
/// Offsets of a consumer group cannot be used: the broker deletes them some days after the group was last used
/// (<c>offsets.retention.minutes</c>), and a task may be idle for longer.
/// </remarks>
internal sealed class KafkaPositions
{
    private const int FirstReach = 500;
    private static readonly TimeSpan Timeout = TimeSpan.FromSeconds(90);
    private static readonly TimeSpan Slice = TimeSpan.FromMilliseconds(250);

    private readonly KafkaConnector _connector;
    private readonly SinkContext _context;
    private readonly byte[] _key;
    private readonly string _writer;

    internal KafkaPositions(KafkaConnector connector, SinkContext context)
    {
        _connector = connector;
        _context = context;
        _key = Encoding.UTF8.GetBytes($"{context.DatabaseId}/{context.Task}");
        Message = new Message<byte[], byte[]> { Key = _key };
        var run = context.Run;
        _writer =
            (run.Lineage.Length == 0 ? "" : $",\"lineage\":\"{run.Lineage}\"")
            + (run.Id.Length == 0 ? "" : $",\"run\":\"{run.Id}\"");
    }

    private string Topic => _connector.Options.PositionsTopic;

    private Message<byte[], byte[]> Message { get; }

    /// <summary>The record that holds <paramref name="position"/>. The next call reuses it.</summary>
    /// <param name="position">The position.</param>
    /// <param name="last">The last message that goes with it.</param>
    internal Message<byte[], byte[]> Record(long position, OutgoingMessage last)
    {
        Message.Value = Encoding.UTF8.GetBytes(
            $$"""{"position":{{KafkaSettings.Text(position)}}{{_writer}},"change":{{KafkaSettings.Text(last.DocumentPosition)}},"time":"{{CloudEventJson.FormatTime(last.Time)}}"}"""
        );
        return Message;
    }

    /// <summary>
    /// The partition that holds the task's records. It is chosen by key, so that open transactions of only a few other
    /// tasks can delay a reader.
    /// </summary>
    internal TopicPartition Partition()
    {
        var topic = _connector.Topics.Find(Topic) ?? throw _connector.Faults.Transient($"topic '{Topic}' is not known");
        var hash = 2166136261u; // FNV-1a
        foreach (var b in _key)
            hash = (hash ^ b) * 16777619u;
        return new TopicPartition(Topic, (int)(hash % (uint)topic.Partitions));
    }

    /// <summary>
    /// Reads the task's last committed position and who wrote it, from the end of the partition backwards.
    /// </summary>
    /// <remarks>
    /// Call this after the producer's transactions were initialised. Then none of this task's transactions is open, and
    /// everything committed is before the end that this method asks for.
    /// </remarks>
    internal async Task<TargetMark?> ReadAsync(CancellationToken cancellationToken)
    {
        var partition = Partition();
        var (first, end) = await _connector.Topics.OffsetsAsync(partition, cancellationToken).ConfigureAwait(false);
        if (end <= first)
            return null;
        return await Task.Run(() => Read(partition, first, end, cancellationToken), cancellationToken)
            .ConfigureAwait(false);
    }

    private TargetMark? Read(TopicPartition partition, long first, long end, CancellationToken cancellationToken)
    {
        using var reader = new ConsumerBuilder<byte[], byte[]>(
            KafkaSettings.Reader(_connector.Options, _connector.Context.BaseDirectory)
        )
            .SetErrorHandler((_, error) => _connector.Faults.Note(error))
            .SetLogHandler((_, _) => { })
            .Build();
        var started = _context.Time.GetTimestamp();
        for (long to = end, reach = FirstReach; to > first; reach *= 4)
        {
            var from = Math.Max(first, to - reach);
            if (ReadRange(reader, partition, from, to, started, cancellationToken) is { } position)
                return position;
            to = from;
        }

        return null;
    }

    private TargetMark? ReadRange(
        IConsumer<byte[], byte[]> reader,
        TopicPartition partition,
        long from,
        long to,
        long started,
        CancellationToken cancellationToken
    )
    {
        reader.Assign(new TopicPartitionOffset(partition, from));
        TargetMark? last = null;
        while (true)
        {
            cancellationToken.ThrowIfCancellationRequested();
            ConsumeResult<byte[], byte[]>? result;
            try
            {
                result = reader.Consume(Slice);
            }
            catch (KafkaException e)
            {
                throw _connector.Faults.From(
                    $"the position of task '{_context.Task}' was not read back from topic '{Topic}'",
                    e
                );
            }

            // While another task's transaction is open, the end of the committed records may be before 'to'.
            if (result is not null && result.Offset.Value >= to)
                return last;
            if (result is { IsPartitionEOF: false })
            {
                if (result.Message.Key.AsSpan().SequenceEqual(_key))
                    last = Parse(result.Message.Value);
                if (result.Offset.Value + 1 >= to)
                    return last;
            }

            if (_context.Time.GetElapsedTime(started) > Timeout)
            {
                throw _connector.Faults.Transient(
                    $"the position of task '{_context.Task}' was not read back from topic '{Topic}' within {Timeout.TotalSeconds:F0} s"
                );
            }
        }
    }

    private TargetMark Parse(byte[]? value)
    {
        try
        {
            using var document = JsonDocument.Parse(value ?? []);
            var record = document.RootElement;
            if (record.TryGetProperty("position", out var position))
            {
                return new TargetMark(
                    position.GetInt64(),
                    record.TryGetProperty("lineage", out var lineage) ? lineage.GetString() ?? "" : "",
                    record.TryGetProperty("run", out var run) ? run.GetString() : null
                )
                {
                    Change = record.TryGetProperty("change", out var change) ? change.GetInt64() : null,
                    Time = record.TryGetProperty("time", out var time) ? time.GetDateTimeOffset() : null,
                };
            }
        }
        catch (Exception e) when (e is JsonException or InvalidOperationException or FormatException)
        {
            throw _connector.Faults.Permanent(
                $"topic '{Topic}' holds a record of task '{_context.Task}' that is no position",
                e
            );
        }

        throw _connector.Faults.Permanent(
            $"topic '{Topic}' holds a record of task '{_context.Task}' that is no position"
        );
    }
}
