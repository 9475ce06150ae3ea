namespace Pipeline.Cluster.Tests.Log;

/// <summary>
/// A log in memory whose faults come from a seed. Places are decided as Kafka does it: an append lands wherever the end
/// is.
/// </summary>
internal sealed class MemoryLog(MemoryLogFaults? faults = null) : ISharedLog
{
    private readonly Lock _lock = new();
    private readonly List<ReadOnlyMemory<byte>> _records = [];
    private readonly List<byte[]> _late = [];
    private readonly Random _random = new(faults?.Seed ?? 0);
    private TaskCompletionSource _grown = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private long _first;

    public string Name => "memory";

    public int MaxRecordBytes { get; init; } = 900_000;

    /// <summary>How many records are on their way without anybody waiting for them.</summary>
    public int Late
    {
        get
        {
            lock (_lock)
                return _late.Count;
        }
    }

    public ValueTask<AppendAnswer> AppendAsync(
        ReadOnlyMemory<byte> record,
        long expected,
        CancellationToken cancellationToken = default
    )
    {
        if (record.Length is 0 || record.Length > MaxRecordBytes)
            throw new RecordTooLargeException(Name, record.Length, MaxRecordBytes);
        if (cancellationToken.IsCancellationRequested)
            return ValueTask.FromResult(AppendAnswer.Unknown(new OperationCanceledException(cancellationToken)));
        lock (_lock)
        {
            LandSome();
            if (Happens(faults?.Delay))
            {
                _late.Add(record.ToArray());
                return ValueTask.FromResult(AppendAnswer.Unknown());
            }
            if (Happens(faults?.Loss))
                return ValueTask.FromResult(AppendAnswer.Unknown());
            var place = Land(record.ToArray());
            if (Happens(faults?.Duplicate))
                _late.Add(record.ToArray());
            if (Happens(faults?.NoAnswer))
                return ValueTask.FromResult(AppendAnswer.Unknown());
            return ValueTask.FromResult(AppendAnswer.At(Happens(faults?.Lie) ? place + _random.Next(1, 4) : place));
        }
    }

    public async ValueTask<LogBatch> ReadAsync(
        long from,
        int maxBytes,
        TimeSpan wait,
        CancellationToken cancellationToken = default
    )
    {
        Task grown;
        lock (_lock)
        {
            LandSome();
            var batch = Read(from, maxBytes);
            if (batch.Records.Count > 0 || wait <= TimeSpan.Zero)
                return batch;
            grown = _grown.Task;
        }
        await Task.WhenAny(grown, Task.Delay(wait, cancellationToken)).WaitAsync(cancellationToken);
        lock (_lock)
            return Read(from, maxBytes);
    }

    public ValueTask<LogBounds> GetBoundsAsync(CancellationToken cancellationToken = default)
    {
        lock (_lock)
            return ValueTask.FromResult(new LogBounds(_first, _records.Count));
    }

    public ValueTask TrimAsync(long before, CancellationToken cancellationToken = default)
    {
        lock (_lock)
        {
            ArgumentOutOfRangeException.ThrowIfGreaterThan(before, _records.Count);
            _first = Math.Max(_first, before);
        }
        return ValueTask.CompletedTask;
    }

    /// <summary>Loses the last records, as brokers do that were elected without having them.</summary>
    public void LoseTail(int records)
    {
        lock (_lock)
            _records.RemoveRange(_records.Count - records, records);
    }

    /// <summary>Lets every late record land.</summary>
    public void LandAll()
    {
        lock (_lock)
        {
            foreach (var late in _late)
                Land(late);
            _late.Clear();
        }
    }

    public ValueTask DisposeAsync() => ValueTask.CompletedTask;

    private LogBatch Read(long from, int maxBytes)
    {
        if (from < _first)
            throw new LogTrimmedException(Name, from, _first);
        if (from > _records.Count)
            throw new LogTruncatedException(Name, from, _records.Count);
        var batch = new List<ReadOnlyMemory<byte>>();
        for (long place = from, bytes = 0; place < _records.Count && (bytes < maxBytes || place == from); place++)
        {
            batch.Add(_records[(int)place]);
            bytes += _records[(int)place].Length;
        }
        return new LogBatch(from, batch, _records.Count);
    }

    private long Land(byte[] record)
    {
        _records.Add(record);
        var grown = _grown;
        _grown = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        grown.SetResult();
        return _records.Count - 1;
    }

    private void LandSome()
    {
        while (_late.Count > 0 && Happens(faults?.Landing))
        {
            var i = _random.Next(_late.Count);
            Land(_late[i]);
            _late.RemoveAt(i);
        }
    }

    private bool Happens(double? probability) => probability > 0 && _random.NextDouble() < probability;
}
