using Confluent.Kafka;
using Confluent.Kafka.Admin;
using Microsoft.Extensions.Logging;
using Pipeline.Cluster;
using Pipeline.Etl.Connectors.Kafka;

namespace Pipeline.KafkaLog;

/// <summary>
/// A topic of Apache Kafka with one partition as a shared log. A place is an offset: only plain records are written, so
/// offsets have no gaps. Kafka cannot append at an expected place, so an append lands wherever the log ends, and its
/// answer says where.
/// </summary>
public sealed class KafkaSharedLog : ISharedLog
{
    private static readonly TimeSpan SecondLook = TimeSpan.FromSeconds(2);
    private readonly KafkaLogOptions _options;
    private readonly IAdminClient _admin;
    private readonly KafkaLogWriter _writer;
    private readonly KafkaLogReader _reader;
    private readonly SemaphoreSlim _reading = new(1);
    private long _trimmed;

    private KafkaSharedLog(KafkaLogOptions options, string name, IAdminClient admin, ILogger logger)
    {
        (_options, Name, _admin) = (options, name, admin);
        _writer = new KafkaLogWriter(options, name, logger);
        _reader = new KafkaLogReader(options, name, logger);
    }

    /// <inheritdoc/>
    public string Name { get; }

    /// <inheritdoc/>
    public int MaxRecordBytes => _options.MaxRecordBytes;

    /// <summary>Opens a topic as a log; creates it if it is missing and may be created.</summary>
    /// <param name="options">Where it is.</param>
    /// <param name="cancellationToken">Cancels the call.</param>
    /// <exception cref="KafkaLogRefusedException">The topic would lose or forget records.</exception>
    /// <exception cref="KafkaLogUnavailableException">The brokers do not answer.</exception>
    public static async Task<KafkaSharedLog> OpenAsync(
        KafkaLogOptions options,
        CancellationToken cancellationToken = default
    )
    {
        ArgumentNullException.ThrowIfNull(options);
        var name = $"{options.Topic} at {options.Connection.BootstrapServers}";
        var logger = options.Loggers.CreateLogger("Pipeline.KafkaLog");
        string? last = null;
        var admin = new AdminClientBuilder(
            KafkaSettings.Apply(new AdminClientConfig(), options.Connection, options.BaseDirectory)
        )
            .SetErrorHandler(
                (_, error) =>
                {
                    // That all brokers are away says less than why one of them is.
                    if (error.Code != ErrorCode.Local_AllBrokersDown)
                        Volatile.Write(ref last, error.Reason);
                    KafkaLogMessages.Client(logger, name, error.Reason);
                }
            )
            .SetLogHandler((_, message) => KafkaLogMessages.Client(logger, name, message.Message))
            .Build();
        try
        {
            await new KafkaLogTopic(options, admin, name, logger, () => Volatile.Read(ref last))
                .EnsureAsync(cancellationToken)
                .ConfigureAwait(false);
            return new KafkaSharedLog(options, name, admin, logger);
        }
        catch
        {
            admin.Dispose();
            throw;
        }
    }

    /// <inheritdoc/>
    public async ValueTask<AppendAnswer> AppendAsync(
        ReadOnlyMemory<byte> record,
        long expected,
        CancellationToken cancellationToken = default
    )
    {
        if (record.Length is 0 || record.Length > MaxRecordBytes)
            throw new RecordTooLargeException(Name, record.Length, MaxRecordBytes);
        try
        {
            return await _writer.AppendAsync(record).WaitAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (OperationCanceledException cancelled)
        {
            return AppendAnswer.Unknown(cancelled);
        }
    }

    /// <inheritdoc/>
    public async ValueTask<LogBatch> ReadAsync(
        long from,
        int maxBytes,
        TimeSpan wait,
        CancellationToken cancellationToken = default
    )
    {
        await _reading.WaitAsync(cancellationToken).ConfigureAwait(false);
        try
        {
            return await ReadAloneAsync(from, maxBytes, wait, cancellationToken).ConfigureAwait(false);
        }
        finally
        {
            _reading.Release();
        }
    }

    /// <inheritdoc/>
    public async ValueTask<LogBounds> GetBoundsAsync(CancellationToken cancellationToken = default) =>
        await _reader.QueryAsync(cancellationToken).ConfigureAwait(false);

    /// <inheritdoc/>
    public async ValueTask TrimAsync(long before, CancellationToken cancellationToken = default)
    {
        var bounds = await _reader.QueryAsync(cancellationToken).ConfigureAwait(false);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(before, bounds.End);
        if (before <= bounds.First)
            return;
        try
        {
            await _admin
                .DeleteRecordsAsync(
                    [new TopicPartitionOffset(_options.Topic, 0, before)],
                    new DeleteRecordsOptions
                    {
                        RequestTimeout = _options.BrokerTimeout,
                        OperationTimeout = _options.BrokerTimeout,
                    }
                )
                .WaitAsync(cancellationToken)
                .ConfigureAwait(false);
        }
        catch (KafkaException e)
        {
            throw new KafkaLogUnavailableException(Name, $"records were not trimmed: {e.Error.Reason}", e);
        }
        Interlocked.Exchange(ref _trimmed, Math.Max(Interlocked.Read(ref _trimmed), before));
        _reader.Forget(before);
    }

    /// <summary>Waits half a second at most for the appends that were begun, and closes the connections.</summary>
    public async ValueTask DisposeAsync()
    {
        await _reading.WaitAsync().ConfigureAwait(false);
        try
        {
            await Task.Run(() =>
                {
                    _writer.Dispose();
                    _reader.Dispose();
                    _admin.Dispose();
                })
                .ConfigureAwait(false);
        }
        finally
        {
            _reading.Release();
        }
    }

    /// <summary>
    /// Reads until there is a record or the time is up. Only the brokers say that there is none: a reader that is cut
    /// off from them must not take their silence for it.
    /// </summary>
    private async ValueTask<LogBatch> ReadAloneAsync(long from, int maxBytes, TimeSpan wait, CancellationToken ct)
    {
        var began = _options.Time.GetTimestamp();
        LogBounds? bounds = null;
        while (true)
        {
            if (from < Interlocked.Read(ref _trimmed))
                throw new LogTrimmedException(Name, from, Interlocked.Read(ref _trimmed));
            IReadOnlyList<ReadOnlyMemory<byte>> records;
            Task changed;
            try
            {
                records = _reader.Take(from, maxBytes, out changed);
            }
            catch (KafkaLogUnavailableException)
            {
                // The client also says so where the place is not in the log any more.
                await CheckPlaceAsync(from, ct).ConfigureAwait(false);
                throw;
            }
            if (records.Count > 0)
                return new LogBatch(from, records, Math.Max(bounds?.End ?? 0, _reader.End));
            var elapsed = _options.Time.GetElapsedTime(began);
            if (elapsed >= wait)
            {
                bounds ??= await CheckPlaceAsync(from, ct).ConfigureAwait(false);
                if (bounds.Value.End <= from)
                    return new LogBatch(from, [], bounds.Value.End);
                if (elapsed >= wait + _options.BrokerTimeout)
                {
                    throw new KafkaLogUnavailableException(
                        Name,
                        $"there are records at {from}, but the brokers did not send them within {_options.BrokerTimeout.TotalSeconds:0.#} s"
                    );
                }
            }
            using var late = CancellationTokenSource.CreateLinkedTokenSource(ct);
            var left = elapsed < wait ? wait - elapsed : wait + _options.BrokerTimeout - elapsed;
            await Task.WhenAny(changed, Task.Delay(left, _options.Time, late.Token)).ConfigureAwait(false);
            await late.CancelAsync().ConfigureAwait(false);
            ct.ThrowIfCancellationRequested();
        }
    }

    private async ValueTask<LogBounds> CheckPlaceAsync(long from, CancellationToken ct)
    {
        var bounds = await _reader.QueryAsync(ct).ConfigureAwait(false);
        if (from > bounds.End)
        {
            // A node that believes this stops for good. A broker that has just become the partition's leader may not
            // know yet how far the others are.
            await Task.Delay(SecondLook, _options.Time, ct).ConfigureAwait(false);
            bounds = await _reader.QueryAsync(ct).ConfigureAwait(false);
        }
        return from < bounds.First ? throw new LogTrimmedException(Name, from, bounds.First)
            : from > bounds.End ? throw new LogTruncatedException(Name, from, bounds.End)
            : bounds;
    }
}
