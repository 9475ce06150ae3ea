namespace Pipeline.Database;

/// <summary>
/// Stores many documents fast: they are parsed on the caller's thread while earlier ones are being committed, in commits of
/// bounded size. Each commit is durable and stays, whatever happens to later ones. One caller at a time.
/// </summary>
public sealed class BulkInsert : IAsyncDisposable
{
    private readonly DocumentDatabase _database;
    private readonly BulkInsertOptions _options;
    private readonly Queue<(Task Commit, BulkInsertBatch Batch)> _inFlight = new();
    private readonly Stack<BulkInsertBatch> _spare = new();
    private BulkInsertBatch _filling;
    private Exception? _failure;
    private bool _completed;

    internal BulkInsert(DocumentDatabase database, BulkInsertOptions options)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(options.BatchCount, nameof(options));
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(options.BatchBytes, nameof(options));
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(options.MaxBatchesInFlight, nameof(options));
        _database = database;
        _options = options;
        _filling = new BulkInsertBatch(options.SkipsUnchanged);
    }

    /// <summary>Asked for the mark of each commit, which sets it with its documents and only after the commit before it.</summary>
    internal Func<BulkInsertBatch.BatchMark>? NextMark { get; init; }

    /// <summary>Documents that are durable.</summary>
    public long Stored { get; private set; }

    /// <summary>Adds a document; see <see cref="DocumentDatabase.PutAsync"/>. Waits only while too many commits are on their way.</summary>
    /// <param name="id">The id; null takes the metadata's <c>@id</c> or else a GUID, <c>prefix/</c> and <c>prefix|</c> ask for a new one.</param>
    /// <param name="utf8Json">The document, read before this returns.</param>
    /// <param name="ct">Ends the waiting; the document may be added or not.</param>
    /// <returns>Done when the next may be given. That says nothing of durability: see <see cref="CompleteAsync"/>.</returns>
    /// <exception cref="Json.JsonFormatException">The text is no document. It is left out and others may follow.</exception>
    /// <exception cref="InvalidOperationException">An earlier commit failed; the cause is within.</exception>
    public ValueTask StoreAsync(string? id, ReadOnlyMemory<byte> utf8Json, CancellationToken ct = default)
    {
        CheckUsable();
        _filling.Add(id, utf8Json.Span, _database.Limits);
        return _filling.Count >= _options.BatchCount || _filling.Bytes >= _options.BatchBytes ? CommitAsync(ct) : default;
    }

    /// <summary>Adds an attachment to a document that is there or was added before it; see <see cref="DocumentTransaction.PutAttachment"/>.</summary>
    /// <param name="id">The document.</param>
    /// <param name="name">The name.</param>
    /// <param name="content">The content, which is the bulk insert's from now on.</param>
    /// <param name="contentType">The media type.</param>
    /// <param name="ct">Ends the waiting; the attachment may be added or not.</param>
    /// <returns>Done when the next may be given. That there is no such document ends the bulk insert with a later call.</returns>
    /// <exception cref="AttachmentException">The text is no name. The attachment is left out and others may follow.</exception>
    /// <exception cref="InvalidOperationException">An earlier commit failed; the cause is within.</exception>
    public async ValueTask StoreAttachmentAsync(string id, string name, StagedAttachment content, string? contentType = null, CancellationToken ct = default)
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
        if (_filling.Count >= _options.BatchCount || _filling.Bytes >= _options.BatchBytes) await CommitAsync(ct).ConfigureAwait(false);
    }

    /// <summary>Commits what is left and waits until all is durable.</summary>
    /// <param name="ct">Ends the waiting.</param>
    /// <returns>How many documents were stored.</returns>
    /// <exception cref="InvalidOperationException">A commit failed; the cause is within.</exception>
    public async Task<long> CompleteAsync(CancellationToken ct = default)
    {
        await FlushAsync(ct).ConfigureAwait(false);
        _completed = true;
        return Stored;
    }

    /// <summary>Commits what there is and waits until it is durable; more may follow.</summary>
    /// <param name="ct">Ends the waiting.</param>
    /// <exception cref="InvalidOperationException">A commit failed; the cause is within.</exception>
    public async Task FlushAsync(CancellationToken ct = default)
    {
        CheckUsable();
        if (_filling.Count > 0) await CommitAsync(ct).ConfigureAwait(false);
        await DrainAsync(0, ct).ConfigureAwait(false);
    }

    /// <summary>Waits for the commits that are on their way; what was not yet handed to one is dropped unless completed.</summary>
    /// <returns>Done when nothing is on its way.</returns>
    public async ValueTask DisposeAsync()
    {
        _completed = true;
        while (_inFlight.TryDequeue(out (Task Commit, BulkInsertBatch Batch) oldest))
        {
            await oldest.Commit.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            await oldest.Batch.GiveUpContentsAsync().ConfigureAwait(false);
            oldest.Batch.Release();
        }

        foreach (BulkInsertBatch batch in _spare) batch.Release();
        _spare.Clear();
        await _filling.GiveUpContentsAsync().ConfigureAwait(false);
        _filling.Release();
    }

    private async ValueTask CommitAsync(CancellationToken ct)
    {
        BulkInsertBatch batch = _filling;
        if (NextMark is not null) batch.Mark(NextMark());
        _filling = _spare.TryPop(out BulkInsertBatch? spare) ? spare : new BulkInsertBatch(_options.SkipsUnchanged);

        // Not cancelled on the way: the buffer is the commit's until that has ended.
        _inFlight.Enqueue((_database.WriteAsync(batch.Write, CancellationToken.None), batch));
        await DrainAsync(_options.MaxBatchesInFlight, ct).ConfigureAwait(false);
    }

    private async ValueTask DrainAsync(int most, CancellationToken ct)
    {
        while (_inFlight.Count > most || (_inFlight.TryPeek(out (Task Commit, BulkInsertBatch Batch) first) && first.Commit.IsCompleted))
        {
            (Task commit, BulkInsertBatch batch) = _inFlight.Peek();
            try
            {
                await commit.WaitAsync(ct).ConfigureAwait(false);
            }
            catch (Exception e) when (commit.IsFaulted)
            {
                _failure ??= e;
            }

            _inFlight.Dequeue();
            if (_failure is null) Stored += batch.Documents;
            await batch.GiveUpContentsAsync().ConfigureAwait(false);
            batch.Clear();
            _spare.Push(batch);
        }

        CheckUsable();
    }

    private void CheckUsable()
    {
        ObjectDisposedException.ThrowIf(_completed, this);
        if (_failure is not null) throw new InvalidOperationException($"The bulk insert stopped after {Stored} documents: {_failure.Message}", _failure);
    }
}
