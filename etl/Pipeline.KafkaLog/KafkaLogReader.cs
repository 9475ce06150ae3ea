using Confluent.Kafka;
using Microsoft.Extensions.Logging;
using Pipeline.Cluster;
using Pipeline.Etl.Connectors.Kafka;

namespace Pipeline.KafkaLog;

/// <summary>
/// Reads the partition ahead on a separate thread, into a buffer that serves reads. A read
/// at another place moves the reader. Members are called by one caller at a time.
/// </summary>
/// <remarks>
/// An error of the client empties the buffer: the brokers may have lost records that were read before it, and the next
/// read must see their present state.
/// </remarks>
internal sealed class KafkaLogReader : IDisposable
{
    private const long AheadBytes = 16 << 20;
    private const int KeptBehind = 16;
    private static readonly TimeSpan Poll = TimeSpan.FromMilliseconds(100);

    /// <summary>
    /// How long one question waits. The client asks the partition's leader that it knows, dead or not, and looks for no
    /// other until the metadata are read anew.
    /// </summary>
    private static readonly TimeSpan Slice = TimeSpan.FromSeconds(1);
    private readonly KafkaLogOptions _options;
    private readonly string _name;
    private readonly ILogger _logger;
    private readonly TopicPartition _partition;
    private readonly IConsumer<Ignore, byte[]> _consumer;
    private readonly Thread _thread;
    private readonly object _gate = new();
    private readonly Queue<ReadOnlyMemory<byte>> _records = new();
    private TaskCompletionSource _changed = NewSignal();
    private long _first,
        _next = -1,
        _bytes,
        _asked,
        _moveTo = -1;
    private Exception? _error;
    private bool _ends,
        _isPaused;

    public KafkaLogReader(KafkaLogOptions options, string name, ILogger logger)
    {
        (_options, _name, _logger) = (options, name, logger);
        _partition = new TopicPartition(options.Topic, 0);
        _consumer = Make();
        _thread = new Thread(Run) { IsBackground = true, Name = "pipeline log " + options.Topic };
        _thread.Start();
    }

    /// <summary>Takes records from the buffer, and moves the reader if it is elsewhere.</summary>
    /// <returns>The records; empty if there are none yet.</returns>
    /// <exception cref="Exception">The client's error since the last call; the reader has begun anew.</exception>
    public IReadOnlyList<ReadOnlyMemory<byte>> Take(long from, int maxBytes, out Task changed)
    {
        lock (_gate)
        {
            changed = _changed.Task;
            if (_error is { } error)
            {
                _error = null;
                MoveTo(from);
                throw error;
            }
            if (_next < 0 || from < _first || from > _next)
            {
                if (_moveTo != from)
                    MoveTo(from);
                return [];
            }
            _asked = from;
            var taken = new List<ReadOnlyMemory<byte>>();
            var bytes = 0L;
            foreach (var record in _records.Skip((int)(from - _first)))
            {
                if (taken.Count > 0 && bytes + record.Length > maxBytes)
                    break;
                taken.Add(record);
                bytes += record.Length;
            }
            while (_first < _asked - KeptBehind && _records.TryDequeue(out var old))
            {
                _first++;
                _bytes -= old.Length;
            }
            return taken;
        }
    }

    /// <summary>The place after the last record that was read.</summary>
    public long End
    {
        get
        {
            lock (_gate)
                return Math.Max(0, _next);
        }
    }

    /// <summary>Drops buffered records before a place.</summary>
    public void Forget(long before)
    {
        lock (_gate)
        {
            if (_next >= 0 && before > _next)
            {
                Clear();
                return;
            }
            while (_next >= 0 && _first < before && _records.TryDequeue(out var old))
            {
                _first++;
                _bytes -= old.Length;
            }
        }
    }

    /// <summary>Asks the brokers for the first place and the end.</summary>
    /// <exception cref="KafkaLogUnavailableException">They do not answer.</exception>
    public async Task<LogBounds> QueryAsync(CancellationToken ct)
    {
        var began = _options.Time.GetTimestamp();
        while (true)
        {
            var left = _options.BrokerTimeout - _options.Time.GetElapsedTime(began);
            try
            {
                var most = left < Slice ? left : Slice;
                var found = await Task.Run(() => _consumer.QueryWatermarkOffsets(_partition, most), ct)
                    .WaitAsync(ct)
                    .ConfigureAwait(false);
                return new LogBounds(found.Low.Value, found.High.Value);
            }
            catch (KafkaException e) when (IsOfChangeOfLeader(e.Error.Code) && left > Slice)
            {
                await Task.Delay(Poll, _options.Time, ct).ConfigureAwait(false);
                await Task.Run(LookForLeader, ct).WaitAsync(ct).ConfigureAwait(false);
            }
            catch (KafkaException e)
            {
                throw new KafkaLogUnavailableException(_name, $"{e.Error.Reason} ({e.Error.Code})", e);
            }
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        lock (_gate)
        {
            _ends = true;
            Monitor.PulseAll(_gate);
        }
        _thread.Join();
        _consumer.Close();
        _consumer.Dispose();
    }

    /// <summary>Whether a broker may say this until the partition's next leader is ready and known to all.</summary>
    private static bool IsOfChangeOfLeader(ErrorCode code) =>
        code
            is ErrorCode.Local_TimedOut
                or ErrorCode.RequestTimedOut
                or ErrorCode.Local_Transport
                or ErrorCode.Local_DestroyBroker
                or ErrorCode.LeaderNotAvailable
                or ErrorCode.NotLeaderForPartition
                or ErrorCode.OffsetNotAvailable
                or ErrorCode.FencedLeaderEpoch
                or ErrorCode.UnknownLeaderEpoch
                or ErrorCode.ReplicaNotAvailable
                or ErrorCode.BrokerNotAvailable
                or ErrorCode.UnknownTopicOrPart
                or ErrorCode.KafkaStorageError
                or ErrorCode.NetworkException;

    /// <summary>Has the client read which broker leads the partition by now.</summary>
    private void LookForLeader()
    {
        using var admin = new DependentAdminClientBuilder(_consumer.Handle).Build();
        try
        {
            admin.GetMetadata(_partition.Topic, Slice);
        }
        catch (KafkaException e)
        {
            KafkaLogMessages.Client(_logger, _name, e.Error.Reason);
        }
    }

    private static TaskCompletionSource NewSignal() => new(TaskCreationOptions.RunContinuationsAsynchronously);

    private void MoveTo(long from)
    {
        Clear();
        _moveTo = from;
        Monitor.PulseAll(_gate);
    }

    private void Clear()
    {
        _records.Clear();
        (_next, _bytes) = (-1, 0);
    }

    private void Run()
    {
        while (true)
        {
            long to;
            lock (_gate)
            {
                // Before the first read there is nothing to do.
                while (!_ends && _next < 0 && _moveTo < 0)
                    Monitor.Wait(_gate);
                if (_ends)
                    return;
                (to, _moveTo) = (_moveTo, -1);
                if (to >= 0)
                    (_first, _next, _asked, _isPaused) = (to, to, to, false);
            }
            try
            {
                if (to >= 0)
                    _consumer.Assign(new TopicPartitionOffset(_partition, to));
                Throttle();
                if (_consumer.Consume(Poll) is { IsPartitionEOF: false } read)
                    Add(read);
            }
            catch (KafkaException e)
            {
                Fail(e);
            }
        }
    }

    private void Add(ConsumeResult<Ignore, byte[]> read)
    {
        lock (_gate)
        {
            // A record that the client had fetched before the reader was moved.
            if (_next < 0 || _moveTo >= 0 || read.Offset.Value < _next)
                return;
            if (read.Offset.Value > _next)
            {
                var (place, found) = (_next, read.Offset.Value);
                Clear();
                _error = new LogTrimmedException(_name, place, found);
            }
            else
            {
                var bytes = read.Message.Value ?? [];
                _records.Enqueue(bytes);
                _bytes += bytes.Length;
                _next++;
            }
        }
        Signal();
    }

    /// <summary>Has the client fetch nothing while the buffer is full.</summary>
    private void Throttle()
    {
        bool isFull;
        lock (_gate)
            isFull = _bytes > AheadBytes && _next > _asked;
        if (isFull == _isPaused)
            return;
        if (isFull)
            _consumer.Pause([_partition]);
        else
            _consumer.Resume([_partition]);
        _isPaused = isFull;
    }

    private void Fail(KafkaException e)
    {
        lock (_gate)
        {
            var place = _next;
            Clear();
            _error =
                e.Error.Code == ErrorCode.Local_BadMsg
                    ? new LogDamagedException(_name, place, e.Error.Reason)
                    : new KafkaLogUnavailableException(_name, $"{e.Error.Reason} ({e.Error.Code})", e);
        }
        Signal();
    }

    private void Signal()
    {
        TaskCompletionSource fired;
        lock (_gate)
            (fired, _changed) = (_changed, NewSignal());
        fired.SetResult();
    }

    private IConsumer<Ignore, byte[]> Make()
    {
        var config = KafkaSettings.Apply(new ConsumerConfig(), _options.Connection, _options.BaseDirectory);
        // The client demands a group; nothing is committed to it, and it is never joined.
        config.GroupId = "pipeline-log";
        config.EnableAutoCommit = false;
        config.EnableAutoOffsetStore = false;
        config.EnablePartitionEof = true;
        config.IsolationLevel = IsolationLevel.ReadUncommitted;
        config.AutoOffsetReset = AutoOffsetReset.Error;
        config.CheckCrcs = true;
        config.FetchWaitMaxMs = 250;
        config.FetchErrorBackoffMs = 100;
        config.QueuedMaxMessagesKbytes = 16 << 10;
        config.MaxPartitionFetchBytes = 4 << 20;
        config.ReconnectBackoffMs = 50;
        config.ReconnectBackoffMaxMs = 500;
        foreach (var (name, value) in _options.Connection.Properties)
            config.Set(name, value);
        return new ConsumerBuilder<Ignore, byte[]>(config)
            .SetErrorHandler((_, error) => KafkaLogMessages.Client(_logger, _name, error.Reason))
            .SetLogHandler((_, message) => KafkaLogMessages.Client(_logger, _name, message.Message))
            .Build();
    }
}
