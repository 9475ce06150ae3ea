using Confluent.Kafka;
using Microsoft.Extensions.Logging;
using Pipeline.Cluster;
using Pipeline.Etl.Connectors.Kafka;

namespace Pipeline.KafkaLog;

/// <summary>
/// Appends records in the order of the calls, each acknowledged by all brokers in sync. Thread-safe. A producer that
/// fails for good is made anew. What it had under way has an unknown outcome then, as after every error: the record may
/// land later, and the automaton passes it over.
/// </summary>
internal sealed class KafkaLogWriter : IDisposable
{
    private const int MessageTimeoutMilliseconds = 10_000;

    /// <summary>
    /// How long a disposal waits for appends. A node that stops has waited for them before.
    /// </summary>
    private static readonly TimeSpan FlushTimeout = TimeSpan.FromMilliseconds(500);
    private readonly KafkaLogOptions _options;
    private readonly string _name;
    private readonly ILogger _logger;
    private readonly TopicPartition _partition;
    private readonly Lock _gate = new();
    private IProducer<Null, byte[]>? _producer;
    private bool _isDisposed;

    public KafkaLogWriter(KafkaLogOptions options, string name, ILogger logger)
    {
        (_options, _name, _logger) = (options, name, logger);
        _partition = new TopicPartition(options.Topic, 0);
    }

    /// <summary>Sends a record; the task has the answer.</summary>
    public Task<AppendAnswer> AppendAsync(ReadOnlyMemory<byte> record)
    {
        var answer = new TaskCompletionSource<AppendAnswer>(TaskCreationOptions.RunContinuationsAsynchronously);
        var message = new Message<Null, byte[]> { Value = record.ToArray() };
        lock (_gate)
        {
            ObjectDisposedException.ThrowIf(_isDisposed, this);
            var producer = _producer ??= Make();
            try
            {
                producer.Produce(_partition, message, report => Report(producer, report, answer));
            }
            catch (KafkaException e)
            {
                if (e.Error.IsFatal)
                    Drop(producer, e.Error);
                answer.SetResult(AppendAnswer.Unknown(Failed(e.Error, e)));
            }
        }
        return answer.Task;
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        IProducer<Null, byte[]>? producer;
        lock (_gate)
            (producer, _producer, _isDisposed) = (_producer, null, true);
        if (producer is null)
            return;
        producer.Flush(FlushTimeout);
        producer.Dispose();
    }

    private void Report(
        IProducer<Null, byte[]> producer,
        DeliveryReport<Null, byte[]> report,
        TaskCompletionSource<AppendAnswer> answer
    )
    {
        if (!report.Error.IsError && report.Status == PersistenceStatus.Persisted && report.Offset.Value >= 0)
        {
            answer.TrySetResult(AppendAnswer.At(report.Offset.Value));
            return;
        }
        if (report.Error.IsFatal)
        {
            lock (_gate)
                Drop(producer, report.Error);
        }
        answer.TrySetResult(AppendAnswer.Unknown(Failed(report.Error, null)));
    }

    private KafkaLogUnavailableException Failed(Error error, Exception? cause) =>
        new(_name, $"a record was not confirmed: {error.Reason} ({error.Code})", cause);

    private void Drop(IProducer<Null, byte[]> producer, Error error)
    {
        if (_producer != producer)
            return;
        _producer = null;
        KafkaLogMessages.ProducerRenewed(_logger, _name, error.Reason);
        // Not here: this may be the producer's own thread, which its disposal waits for.
        _ = Task.Run(producer.Dispose);
    }

    private IProducer<Null, byte[]> Make()
    {
        var config = KafkaSettings.Apply(new ProducerConfig(), _options.Connection, _options.BaseDirectory);
        config.EnableIdempotence = true;
        config.Acks = Acks.All;
        config.LingerMs = 0;
        config.MessageTimeoutMs = MessageTimeoutMilliseconds;
        config.RetryBackoffMs = 50;
        config.ReconnectBackoffMs = 50;
        config.ReconnectBackoffMaxMs = 500;
        config.MessageMaxBytes = Math.Max(_options.MaxRecordBytes + 10_000, 1_000_000);
        config.CompressionType = Enum.Parse<CompressionType>(_options.Connection.Compression.ToString());
        config.DeliveryReportFields = "status";
        foreach (var (name, value) in _options.Connection.Properties)
            config.Set(name, value);
        return new ProducerBuilder<Null, byte[]>(config)
            .SetErrorHandler((_, error) => KafkaLogMessages.Client(_logger, _name, error.Reason))
            .SetLogHandler((_, message) => KafkaLogMessages.Client(_logger, _name, message.Message))
            .Build();
    }
}
