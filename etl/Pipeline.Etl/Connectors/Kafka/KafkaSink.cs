using Confluent.Kafka;
using Microsoft.Extensions.Logging;

namespace Pipeline.Etl.Connectors.Kafka;

/// <summary>One task's messages to Kafka: each batch and its position are one transaction.</summary>
/// <remarks>
/// The transactional id is the same for every instance of the task, so the broker lets only the newest of them commit.
/// A batch without messages makes no transaction: only the runner stores its position, and a start uses the greater of
/// the two.
/// </remarks>
internal sealed partial class KafkaSink : IMessageSink
{
    private const int DefaultBatchBytes = 1_000_000;

    private static readonly TimeSpan Slice = TimeSpan.FromMilliseconds(500);
    private static readonly TimeSpan SlowConnect = TimeSpan.FromSeconds(2);
    private static readonly TimeSpan InitTimeout = TimeSpan.FromSeconds(60);

    private readonly KafkaConnector _connector;
    private readonly SinkContext _context;
    private readonly KafkaPositions _positions;
    private readonly KafkaHeaders _headers;
    private readonly KafkaKeys _keys = new();
    private readonly ILogger _logger;
    private IProducer<byte[], byte[]>? _producer;
    private TopicPartition? _positionPartition;

    // The position that was committed when this instance connected. Another instance may have committed a part of a
    // batch that is now resent.
    private TargetPosition _committed;
    private int _batchBytes = DefaultBatchBytes;

    internal KafkaSink(KafkaConnector connector, SinkContext context)
    {
        _connector = connector;
        _context = context;
        _positions = new KafkaPositions(connector, context);
        _headers = new KafkaHeaders(connector.Options.CloudEvents);
        _logger = context.Loggers.CreateLogger<KafkaSink>();
    }

    /// <summary>The transactional id, which is unique to each task of each database.</summary>
    internal string TransactionalId => $"pipeline-{_context.DatabaseId}-{_context.Task}";

    private KafkaOptions Options => _connector.Options;

    private KafkaFaults Faults => _connector.Faults;

    /// <inheritdoc/>
    public async ValueTask<long?> ConnectAsync(CancellationToken cancellationToken)
    {
        await DropProducerAsync().ConfigureAwait(false);
        var began = _context.Time.GetTimestamp();
        Faults.Clear();
        _connector.Topics.Forget();
        var refused = await _connector
            .Topics.EnsureAsync([Options.PositionsTopic], cancellationToken)
            .ConfigureAwait(false);
        if (refused.TryGetValue(Options.PositionsTopic, out var reason))
            throw Faults.Permanent(reason);
        _positionPartition = _positions.Partition();
        var topics = _context.Time.GetElapsedTime(began);
        await Task.Run(() => OpenProducer(inspect: false, cancellationToken), cancellationToken).ConfigureAwait(false);
        var transactions = _context.Time.GetElapsedTime(began);
        try
        {
            _committed = new TargetPosition(
                _context.Run.Judge(await _positions.ReadAsync(cancellationToken).ConfigureAwait(false))
            );
            var total = _context.Time.GetElapsedTime(began);
            ConnectorLog.KafkaConnected(
                _logger,
                total < SlowConnect ? LogLevel.Debug : LogLevel.Information,
                _connector.Context.Connection,
                _context.Task,
                total.TotalMilliseconds,
                topics.TotalMilliseconds,
                (transactions - topics).TotalMilliseconds,
                (total - transactions).TotalMilliseconds
            );
            return _committed.Value == 0 ? null : _committed.Value;
        }
        catch
        {
            await DropProducerAsync().ConfigureAwait(false);
            throw;
        }
    }

    /// <inheritdoc/>
    public string? FindFault(OutgoingMessage message)
    {
        var topic = _connector.Topics.Find(message.Destination);
        if (topic is null && KafkaTopics.FindNameFault(message.Destination) is { } fault)
            return fault;
        return FindPartitionFault(message, topic) ?? FindSizeFault(message, topic);
    }

    /// <inheritdoc/>
    public bool IsOversize(OutgoingMessage message) =>
        FindSizeFault(message, _connector.Topics.Find(message.Destination)) is not null;

    /// <inheritdoc/>
    public async ValueTask DisposeAsync() => await DropProducerAsync().ConfigureAwait(false);

    private static string? FindPartitionFault(OutgoingMessage message, KafkaTopic? topic) =>
        topic is not null && message.Options?.Partition >= topic.Partitions
            ? $"topic '{topic.Name}' has no partition {message.Options.Partition}: it has {topic.Partitions}"
            : null;

    private string? FindSizeFault(OutgoingMessage message, KafkaTopic? topic)
    {
        // A batch of one record needs 61 bytes for its header and at most 36 for the record's. With compression a
        // larger one may fit.
        var size = 97L + message.Body.Length + _headers.MaxBytes(message) + (3 * (message.Key?.Length ?? 0));
        if (size <= Options.MaxMessageBytes && (topic is null || size <= topic.MaxMessageBytes))
            return null;
        size = 97L + message.Body.Length + _headers.ExactBytes(message) + KafkaKeys.Bytes(message.Key);
        if (size > Options.MaxMessageBytes)
            return $"the message has {size} bytes with key and headers, maxMessageBytes of connection '{_connector.Context.Connection}' is {Options.MaxMessageBytes}";
        return topic is not null && size > topic.MaxMessageBytes && Options.Compression == KafkaCompression.None
            ? $"the message has {size} bytes with key and headers, max.message.bytes of topic '{topic.Name}' is {topic.MaxMessageBytes}"
            : null;
    }

    private void OpenProducer(bool inspect, CancellationToken cancellationToken)
    {
        var config = KafkaSettings.Producer(
            Options,
            _connector.Context.BaseDirectory,
            TransactionalId,
            _batchBytes,
            inspect
        );
        try
        {
            _producer = new ProducerBuilder<byte[], byte[]>(config)
                .SetErrorHandler((_, error) => Faults.Note(error))
                .SetLogHandler(
                    (_, message) => ConnectorLog.KafkaClient(_logger, _connector.Context.Connection, message.Message)
                )
                .Build();
        }
        catch (Exception e) when (e is InvalidOperationException or ArgumentException or KafkaException)
        {
            throw Faults.Permanent($"the client refuses its settings: {e.Message}", e);
        }

        try
        {
            Repeat(t => _producer.InitTransactions(t), InitTimeout, cancellationToken);
        }
        catch (KafkaException e)
        {
            Drop();
            throw Faults.From($"the transactions of task '{_context.Task}' were not initialised", e);
        }
        catch
        {
            Drop();
            throw;
        }
    }

    /// <summary>
    /// Repeats a resumable call of the client until it completes. So a silent broker delays neither a stop nor the
    /// report of refused credentials.
    /// </summary>
    private void Repeat(Action<TimeSpan> call, TimeSpan timeout, CancellationToken cancellationToken)
    {
        var started = _context.Time.GetTimestamp();
        while (true)
        {
            cancellationToken.ThrowIfCancellationRequested();
            try
            {
                call(Slice);
                return;
            }
            catch (KafkaRetriableException) when (!Faults.IsRefused && _context.Time.GetElapsedTime(started) < timeout)
            {
                continue;
            }
        }
    }

    private async ValueTask DropProducerAsync()
    {
        // Disposing a producer joins its threads.
        if (_producer is not null)
            await Task.Run(Drop, CancellationToken.None).ConfigureAwait(false);
    }

    private void Drop()
    {
        _producer?.Dispose();
        _producer = null;
    }
}
