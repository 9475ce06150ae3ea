using Pipeline.Json;

namespace Pipeline.Documents;

/// <summary>
/// Stores many documents fast: they are parsed on the caller's thread while earlier ones are being committed, in
/// commits of bounded size. Each commit is durable and stays, whatever happens to later ones. One caller at a time.
/// </summary>
/// <remarks>
/// Disposal stores every document that was accepted, or throws. It does so too when an exception leaves the block:
/// documents are stored in commits, so nothing could take the earlier ones back. <see cref="Stored"/> then says how
/// many documents are durable.
/// </remarks>
public sealed class BulkInsert : IAsyncDisposable
{
    private readonly DocumentStorage _database;
    private readonly BulkInsertOptions _options;
    private readonly Queue<(Task Commit, BulkInsertBatch Batch)> _inFlight = new();
    private readonly Stack<BulkInsertBatch> _spare = new();
    private BulkInsertBatch _filling;
    private Exception? _failure;
    private bool _told;
    private bool _completed;
    private bool _disposed;

    internal BulkInsert(DocumentStorage database, BulkInsertOptions options)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(options.BatchCount, nameof(options));
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(options.BatchBytes, nameof(options));
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(options.MaxBatchesInFlight, nameof(options));
        _database = database;
        _options = options;
        _filling = new BulkInsertBatch(options.SkipsUnchanged);
    }

    /// <summary>
    /// Asked for the mark of each commit, which sets it with its documents and only after the commit before it.
    /// </summary>
    internal Func<BulkInsertBatch.BatchMark>? NextMark { get; init; }

    /// <summary>
    /// Documents that were accepted: each call of <see cref="StoreAsync"/> that did not refuse its document counts.
    /// </summary>
    public long Accepted { get; private set; }

    /// <summary>
    /// Documents that are durable; exact once the bulk insert is completed, disposed or has thrown
    /// <see cref="BulkInsertException"/>.
    /// </summary>
    public long Stored { get; private set; }

    /// <summary>
    /// Adds a document; see <see cref="DocumentStorage.PutAsync"/>. Waits only while too many commits are in progress.
    /// </summary>
    /// <param name="id">
    /// The id; null takes the metadata's <c>@id</c> or else a GUID, <c>prefix/</c> and <c>prefix|</c> ask for a new
    /// one.
    /// </param>
    /// <param name="utf8Json">The document, read before this returns.</param>
    /// <param name="ct">Ends the waiting; the document is accepted all the same.</param>
    /// <returns>
    /// Completes when the next document may be given. It does not mean that this one is durable: see
    /// <see cref="CompleteAsync"/>.
    /// </returns>
    /// <exception cref="JsonFormatException">
    /// The text is not a document. It is left out and others may follow.
    /// </exception>
    /// <exception cref="BulkInsertException">An earlier commit failed.</exception>
    public ValueTask StoreAsync(string? id, ReadOnlyMemory<byte> utf8Json, CancellationToken ct = default)
    {
        CheckUsable();
        _filling.Add(id, utf8Json.Span, _database.Limits);
        Accepted++;
        return _filling.Count >= _options.BatchCount || _filling.Bytes >= _options.BatchBytes
            ? CommitAsync(ct)
            : default;
    }

    /// <summary>
    /// Adds an attachment to a document that exists or was added earlier; see
    /// <see cref="DocumentTransaction.PutAttachment"/>.
    /// </summary>
    /// <param name="id">The document.</param>
    /// <param name="name">The name.</param>
    /// <param name="content">The content, which is the bulk insert's from now on.</param>
    /// <param name="contentType">The media type.</param>
    /// <param name="ct">Ends the waiting; the attachment is accepted all the same.</param>
    /// <returns>
    /// Done when the next may be given. That there is no such document ends the bulk insert with a later call.
    /// </returns>
    /// <exception cref="AttachmentException">
    /// The text is not a valid name. The attachment is left out and others may follow.
    /// </exception>
    /// <exception cref="BulkInsertException">An earlier commit failed.</exception>
    public async ValueTask StoreAttachmentAsync(
        string id,
        string name,
        StagedAttachment content,
        string? contentType = null,
        CancellationToken ct = default
    )
    {
        ArgumentNullException.ThrowIfNull(content);
        try
        {
            CheckUsable();
            AttachmentKeys.CheckName(id, name);
        }
        catch
        {
            await content.DisposeAsync().ConfigureAwait(false);
            throw;
        }

        _filling.Add(id, name, content, contentType);
        if (_filling.Count >= _options.BatchCount || _filling.Bytes >= _options.BatchBytes)
            await CommitAsync(ct).ConfigureAwait(false);
    }

    /// <summary>Commits the remaining documents and waits until all are durable.</summary>
    /// <param name="ct">Ends the wait.</param>
    /// <returns>The number of stored documents.</returns>
    /// <exception cref="BulkInsertException">A commit failed.</exception>
    public async Task<long> CompleteAsync(CancellationToken ct = default)
    {
        await FlushAsync(ct).ConfigureAwait(false);
        _completed = true;
        return Stored;
    }

    /// <summary>Commits all documents added so far and waits until they are durable; more may follow.</summary>
    /// <param name="ct">Ends the wait.</param>
    /// <exception cref="BulkInsertException">A commit failed.</exception>
    public async Task FlushAsync(CancellationToken ct = default)
    {
        CheckUsable();
        if (_filling.Count > 0)
            BeginCommit();
        await WaitAsync(0, ct).ConfigureAwait(false);
    }

    /// <summary>
    /// Commits the remaining documents and waits until all are durable, as <see cref="CompleteAsync"/> does.
    /// </summary>
    /// <returns>Completes when every accepted document is durable.</returns>
    /// <exception cref="BulkInsertException">A commit failed, and no earlier call has thrown that.</exception>
    public async ValueTask DisposeAsync()
    {
        if (_disposed)
            return;
        _disposed = true;
        try
        {
            if (_filling.Count > 0 && _failure is null)
                BeginCommit();
            await DrainAsync(0, CancellationToken.None).ConfigureAwait(false);
        }
        finally
        {
            foreach (var batch in _spare)
                batch.Release();
            _spare.Clear();
            await _filling.GiveUpContentsAsync().ConfigureAwait(false);
            _filling.Release();
        }

        if (!_told)
            ThrowFailure();
    }

    private ValueTask CommitAsync(CancellationToken ct)
    {
        BeginCommit();
        return WaitAsync(_options.MaxBatchesInFlight, ct);
    }

    private void BeginCommit()
    {
        var batch = _filling;
        if (NextMark is not null)
            batch.Mark(NextMark());
        _filling = _spare.TryPop(out var spare) ? spare : new BulkInsertBatch(_options.SkipsUnchanged);

        // Not cancelled on the way: the buffer is the commit's until that has ended.
        _inFlight.Enqueue((_database.WriteAsync(batch.Write, CancellationToken.None), batch));
    }

    private async ValueTask WaitAsync(int most, CancellationToken ct)
    {
        await DrainAsync(most, ct).ConfigureAwait(false);
        ThrowFailure();
    }

    /// <summary>
    /// Waits until at most this many commits are in progress; after a failure none is, so <see cref="Stored"/> is
    /// exact.
    /// </summary>
    private async ValueTask DrainAsync(int most, CancellationToken ct)
    {
        while (
            _inFlight.TryPeek(out var oldest)
            && (_failure is not null || _inFlight.Count > most || oldest.Commit.IsCompleted)
        )
        {
            (var commit, var batch) = oldest;
            await commit.WaitAsync(ct).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            if (!commit.IsCompleted)
                ct.ThrowIfCancellationRequested();
            _inFlight.Dequeue();
            if (commit.IsCompletedSuccessfully)
            {
                Stored += batch.Documents;
            }
            else
            {
                _failure ??=
                    commit.Exception?.InnerException ?? new OperationCanceledException("The commit was cancelled.");
            }

            await batch.GiveUpContentsAsync().ConfigureAwait(false);
            batch.Clear();
            _spare.Push(batch);
        }
    }

    private void CheckUsable()
    {
        ObjectDisposedException.ThrowIf(_completed || _disposed, this);
        ThrowFailure();
    }

    private void ThrowFailure()
    {
        if (_failure is null)
            return;
        _told = true;
        throw new BulkInsertException(Stored, Accepted, _failure);
    }
}
