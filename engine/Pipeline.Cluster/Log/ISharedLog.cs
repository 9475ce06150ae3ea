namespace Pipeline.Cluster;

/// <summary>
/// A log that several processes append to and read. It decides the order of records and keeps them;
/// <see cref="Automaton"/> decides which of them count.
/// </summary>
/// <remarks>
/// <para>
/// Places are numbers from 0 without gaps. A record that was once returned at a place stays there until it is trimmed.
/// </para>
/// <para>Appends of one instance take effect in the order of the calls. Implementations are thread-safe.</para>
/// </remarks>
public interface ISharedLog : IAsyncDisposable
{
    /// <summary>The log's name, for messages.</summary>
    string Name { get; }

    /// <summary>The longest record that <see cref="AppendAsync"/> takes, in bytes.</summary>
    int MaxRecordBytes { get; }

    /// <summary>Appends a record and waits until the log keeps it.</summary>
    /// <param name="record">The record. It must not change before the call completes.</param>
    /// <param name="expected">
    /// The place that the caller expects: the one after the last record that it has read or sent.
    /// </param>
    /// <param name="cancellationToken">
    /// Ends the wait. The answer is then <see cref="AppendAnswer.Unknown"/>, because the record may land later.
    /// </param>
    /// <returns>What is known of the record. Errors of the log are in the answer, not thrown.</returns>
    /// <exception cref="RecordTooLargeException">
    /// The record is longer than <see cref="MaxRecordBytes"/> or empty.
    /// </exception>
    ValueTask<AppendAnswer> AppendAsync(
        ReadOnlyMemory<byte> record,
        long expected,
        CancellationToken cancellationToken = default
    );

    /// <summary>Reads kept records in order. A record that may still be lost is never returned.</summary>
    /// <param name="from">The first place.</param>
    /// <param name="maxBytes">
    /// Roughly how many bytes to return; at least one record is returned if there is one.
    /// </param>
    /// <param name="wait">How long to wait for a record if there is none at <paramref name="from"/>.</param>
    /// <param name="cancellationToken">Cancels the call.</param>
    /// <exception cref="LogTrimmedException">Records from that place on are gone.</exception>
    /// <exception cref="LogTruncatedException">
    /// The log ends before that place: it has lost records, or it is another log.
    /// </exception>
    /// <exception cref="LogDamagedException">A record is damaged.</exception>
    ValueTask<LogBatch> ReadAsync(
        long from,
        int maxBytes,
        TimeSpan wait,
        CancellationToken cancellationToken = default
    );

    /// <summary>The places that the log holds.</summary>
    ValueTask<LogBounds> GetBoundsAsync(CancellationToken cancellationToken = default);

    /// <summary>
    /// Discards the records before a place. The log may keep some of their bytes, but never returns them again.
    /// </summary>
    /// <param name="before">
    /// The first place to keep, at most the end. A place that is already trimmed is ignored.
    /// </param>
    /// <param name="cancellationToken">Cancels the call.</param>
    ValueTask TrimAsync(long before, CancellationToken cancellationToken = default);
}
