namespace Pipeline.Cluster;

/// <summary>
/// A log whose records are sealed, so that the operator of the log cannot read or change them. Without a seal it passes
/// records through and refuses sealed ones: a node that treated them as foreign would see an empty log, and lead
/// alongside the others. Thread-safe.
/// </summary>
internal sealed class SealedLog : ISharedLog
{
    /// <summary>Replaces bytes that are no record of Pipeline.</summary>
    private static readonly byte[] Foreign = [0];

    private readonly ISharedLog _log;
    private readonly LogSeal? _seal;

    private SealedLog(ISharedLog log, LogSeal? seal) => (_log, _seal) = (log, seal);

    /// <summary>Wraps a log and checks its last record. On an error it disposes the log and the seal.</summary>
    /// <param name="log">The log, which the result owns.</param>
    /// <param name="seal">The seal, which the result owns; null if records are not sealed.</param>
    /// <param name="ct">Cancels the check.</param>
    /// <exception cref="LogSealedException">The log is sealed in another way.</exception>
    public static async Task<ISharedLog> OpenAsync(ISharedLog log, LogSeal? seal, CancellationToken ct = default)
    {
        var made = new SealedLog(log, seal);
        try
        {
            var bounds = await log.GetBoundsAsync(ct).ConfigureAwait(false);
            if (bounds.End > bounds.First)
                await made.ReadAsync(bounds.End - 1, 1, TimeSpan.Zero, ct).ConfigureAwait(false);
            return made;
        }
        catch
        {
            await made.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    /// <inheritdoc/>
    public string Name => _log.Name;

    /// <inheritdoc/>
    public int MaxRecordBytes => _log.MaxRecordBytes - (_seal is null ? 0 : LogSeal.ExtraBytes);

    /// <inheritdoc/>
    public ValueTask<AppendAnswer> AppendAsync(
        ReadOnlyMemory<byte> record,
        long expected,
        CancellationToken cancellationToken = default
    )
    {
        if (_seal is null)
            return _log.AppendAsync(record, expected, cancellationToken);
        if (record.Length == 0 || record.Length > MaxRecordBytes)
            throw new RecordTooLargeException(Name, record.Length, MaxRecordBytes);
        return _log.AppendAsync(_seal.Seal(record.Span), expected, cancellationToken);
    }

    /// <inheritdoc/>
    public async ValueTask<LogBatch> ReadAsync(
        long from,
        int maxBytes,
        TimeSpan wait,
        CancellationToken cancellationToken = default
    )
    {
        var batch = await _log.ReadAsync(from, maxBytes, wait, cancellationToken).ConfigureAwait(false);
        var opened = new ReadOnlyMemory<byte>[batch.Records.Count];
        for (var i = 0; i < opened.Length; i++)
            opened[i] = Open(batch.First + i, batch.Records[i]);
        return batch with { Records = opened };
    }

    /// <inheritdoc/>
    public ValueTask<LogBounds> GetBoundsAsync(CancellationToken cancellationToken = default) =>
        _log.GetBoundsAsync(cancellationToken);

    /// <inheritdoc/>
    public ValueTask TrimAsync(long before, CancellationToken cancellationToken = default) =>
        _log.TrimAsync(before, cancellationToken);

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        await _log.DisposeAsync().ConfigureAwait(false);
        _seal?.Dispose();
    }

    private ReadOnlyMemory<byte> Open(long place, ReadOnlyMemory<byte> record)
    {
        if (!LogSeal.IsSealed(record.Span))
        {
            return _seal is null ? record
                : LogRecord.TryRead(record, out _) == RecordCheck.Foreign ? Foreign
                : throw new LogSealedException(Name, place, "is not sealed, but this node seals");
        }
        if (_seal is null)
            throw new LogSealedException(Name, place, "is sealed, but this node has no key");
        if (LogSeal.KeyIdOf(record.Span) is { } key && key != _seal.KeyId)
        {
            throw new LogSealedException(
                Name,
                place,
                $"is sealed under the key {key}, but this node has the key {_seal.KeyId}"
            );
        }
        return _seal.Open(record.Span)
            ?? throw new LogDamagedException(
                Name,
                place,
                "its seal does not match. Compare cluster.name of all nodes; if the names are equal, the record was changed"
            );
    }
}
