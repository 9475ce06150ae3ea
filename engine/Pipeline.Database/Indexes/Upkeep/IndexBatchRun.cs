using Pipeline.Documents;
using Pipeline.Indexing;
using Pipeline.Scripting;
using Pipeline.Storage;

namespace Pipeline.Database.Indexes;

/// <summary>
/// One batch of an index: changes are read and mapped, groups reduced, and all that follows is collected for one
/// commit. One thread at a time.
/// </summary>
internal sealed class IndexBatchRun : IDisposable
{
    private static readonly ChangeLimits Limits = new(1024, 2 * 1024 * 1024);
    private const int LoaderPage = 512;

    /// <summary>
    /// An upper estimate of a batch's memory per byte of a document: words need several times their length, but many
    /// documents are only partly indexed.
    /// </summary>
    private const int BytesPerByte = 16;
    private readonly IndexInstance _index;
    private readonly DatabaseSnapshot _snapshot;
    private readonly ReadTransaction _stored;
    private readonly IndexBatch _batch;
    private readonly LoadReferences _references;
    private readonly GroupOutputs? _outputs;
    private readonly HashSet<string> _mapped = new(StringComparer.Ordinal);
    private readonly long _loadsThrough;
    private readonly CancellationToken _ct;
    private GroupReducer? _reducer;

    public IndexBatchRun(
        IndexInstance index,
        DatabaseSnapshot snapshot,
        ReadTransaction stored,
        long loadsThrough,
        CancellationToken ct
    )
    {
        _index = index;
        _snapshot = snapshot;
        _stored = stored;
        _loadsThrough = loadsThrough;
        _ct = ct;
        _batch = index.Store.NewBatch(index.Options.MaxBatchBytes);
        _references = new LoadReferences(stored);
        _outputs = index.Outline.IsGrouped ? new GroupOutputs(stored) : null;
        index.Documents.Snapshot = snapshot;
    }

    public BatchCounters Counters { get; } = new();

    /// <summary>The position up to which everything is processed.</summary>
    public long Through { get; private set; }

    /// <summary>Whether the snapshot has more.</summary>
    public bool HasMore { get; private set; }

    /// <summary>
    /// Where to continue within the change after <see cref="Through"/>, if not all of its many loaders were mapped.
    /// </summary>
    public (long Position, byte[] After)? Resume { get; private set; }

    public IndexBatch Batch => _batch;

    /// <summary>Whether there is anything to commit but the position.</summary>
    public bool HasEffect =>
        _batch.EntryCount > 0 || Counters.Deletes > 0 || Counters.Documents > 0 || Counters.Errors.Count > 0;

    private long Memory => _batch.MemoryBytes + _references.Bytes + (_outputs?.Bytes ?? 0) + _mapped.Count * 150L;

    /// <summary>Reads and maps until the snapshot or a limit ends it.</summary>
    public async Task MapAsync(long after, (long Position, byte[] After)? resume)
    {
        Counters.Map.Start();
        Through = after;
        var most = _index.Marker.ChangesAfter(after);
        var pace = new IndexPace(_index, Counters);
        do
        {
            using var changes = _snapshot.ReadChanges(Through, _index.Filter, Limits);
            _index.Marker.Mark(changes.Through);
            for (var i = 0; i < changes.Count; i++)
            {
                _ct.ThrowIfCancellationRequested();
                var change = changes[i];
                if (_index.Maps(change.Collection) && !Fits(change.IsDeleted ? 0 : change.Body.Data.Length))
                {
                    HasMore = true;
                    return;
                }

                Counters.Changes++;
                Take(change);
                if (
                    Follows(change)
                    && !Reload(change, resume is { } r && r.Position == change.Position ? r.After : null)
                )
                {
                    HasMore = true;
                    return;
                }

                Through = change.Position;
                if (IsFull(pace) || Counters.Changes >= most)
                {
                    HasMore = i + 1 < changes.Count || changes.HasMore;
                    if (!HasMore)
                        Through = changes.Through;
                    return;
                }

                if (pace.IsDue)
                    await pace.YieldAsync(_ct).ConfigureAwait(false);
            }

            Through = changes.Through;
            HasMore = changes.HasMore;
        } while (HasMore);
        Counters.Map.Stop();
    }

    /// <summary>Reduces the groups that were touched.</summary>
    public void Reduce()
    {
        Counters.Map.Stop();
        Counters.MemoryBytes = Memory;
        if (_outputs is null)
            return;
        Counters.Reduce.Start();
        _reducer = new GroupReducer(_stored, _outputs, _index.Run, _index.Options.MaxReduceInputs, _ct);
        foreach ((var group, var documents) in _outputs.Touched)
        {
            _ct.ThrowIfCancellationRequested();
            Counters.Groups++;
            _index.Recorder.Reset();
            _batch.Delete(group);
            try
            {
                _reducer.Reduce(group, documents, _index.Recorder);
                _index.Recorder.WriteTo(_batch, group, isDocument: false);
                Counters.Entries += _index.Recorder.Entries;
            }
            catch (Exception e) when (IsTheirs(e))
            {
                Fail(null, 0, "reduce", e);
            }
        }

        Counters.MemoryBytes = Memory + _reducer.Bytes;
        Counters.Reduce.Stop();
    }

    /// <summary>Adds the changes outside the index's trees to the commit; may be run again.</summary>
    public void Apply(WriteTransaction transaction)
    {
        _references.Apply(transaction);
        _outputs?.Apply(transaction);
        _reducer?.Apply(transaction);
    }

    public void Dispose()
    {
        _index.Documents.Snapshot = null;
        _batch.Dispose();
    }

    /// <summary>
    /// Whether an error belongs to the definition or the document and is recorded; all others end the batch.
    /// </summary>
    internal static bool IsTheirs(Exception e) =>
        e
            is ScriptRuntimeException
                or InvalidOperationException
                or NotSupportedException
                or ArgumentException
                or FormatException;

    /// <summary>
    /// Whether other documents may have loaded the document. An index of all collections is not told when a document
    /// leaves one.
    /// </summary>
    private bool Follows(in Change change) =>
        _index.LoadedCollections is { } loaded
        && change.Position > _loadsThrough
        && (_index.Outline.Collections is null || loaded.Contains(change.Collection));

    private bool IsFull(IndexPace pace) => !Fits(0) || pace.IsOver;

    /// <summary>
    /// Whether a document of this size can be mapped within the limit of the batch; the first one always can. Outputs
    /// and reductions of groups take at most as much as the documents, so half of the limit is left for them.
    /// </summary>
    private bool Fits(long documentBytes) =>
        Counters.Documents + Counters.Deletes == 0
        || Memory + _batch.NextBytesFor(documentBytes * BytesPerByte)
            <= _index.Options.MaxBatchBytes / (_outputs is null ? 1 : 2);

    private void Take(in Change change)
    {
        if (!_index.Maps(change.Collection))
            return;
        var key = LoadReferences.DocumentKey(change.Id);
        if (change.IsDeleted)
        {
            Counters.Deletes++;
            Delete(key);
            return;
        }

        Map(
            key,
            new ScriptDocument(change.Id, change.Body)
            {
                Collection = change.Collection,
                LastModified = change.LastModified,
            },
            change.Position
        );
    }

    private void Delete(byte[] key)
    {
        if (key.Length > IndexBatch.MaxDocumentIdLength)
            return;
        if (_outputs is null)
            _batch.Delete(key);
        else
            _outputs.Set(key);
        _references.Set(key, []);
    }

    private void Map(byte[] key, ScriptDocument document, long position)
    {
        Counters.Documents++;
        Counters.DocumentBytes += document.Body.Data.Length;
        if (_outputs is null && key.Length <= IndexBatch.MaxDocumentIdLength)
            _batch.Delete(key);
        if (_index.LoadedCollections is not null)
            _mapped.Add(Convert.ToBase64String(key));
        var recorder = _index.Recorder;
        recorder.Reset();
        try
        {
            if (key.Length > IndexBatch.MaxDocumentIdLength)
            {
                throw new InvalidOperationException(
                    $"its id in lower case has {key.Length} bytes; the index holds {IndexBatch.MaxDocumentIdLength}"
                );
            }

            if (_outputs is null)
            {
                _index.Run.Map(document, recorder, _ct);
                recorder.WriteTo(_batch, key, isDocument: true);
                Counters.Entries += recorder.Entries;
            }
            else
            {
                _index.Run.Map(document, _outputs, _ct);
                _outputs.Set(key);
            }
        }
        catch (Exception e) when (IsTheirs(e))
        {
            _outputs?.Drop();
            _outputs?.Set(key);
            Fail(document.Id, position, "map", e);
        }

        // A document that failed is also tried again when a document that it loaded has changed.
        if (_index.LoadedCollections is not null && key.Length <= IndexBatch.MaxDocumentIdLength)
            _references.Set(key, _index.Run.LoadedIds);
    }

    /// <summary>Maps the documents again that had loaded one that has changed.</summary>
    /// <returns>Whether all of them were.</returns>
    private bool Reload(in Change change, byte[]? after)
    {
        var loaded = LoadReferences.DocumentKey(change.Id);
        Resume = after is null ? null : (change.Position, after);
        var any = false;
        while (true)
        {
            var page = _references.LoadersOf(loaded, after).Take(LoaderPage).ToList();
            foreach ((var key, var loader) in page)
            {
                _ct.ThrowIfCancellationRequested();
                if (any && !Fits(0))
                {
                    Through = change.Position - 1;
                    return false;
                }

                any = true;
                after = key;
                Resume = (change.Position, key);
                if (_mapped.Contains(Convert.ToBase64String(loader)))
                    continue;
                var id = System.Text.Encoding.UTF8.GetString(loader);
                if (_snapshot.TryGet(id, out var document) && _index.Maps(document.Collection))
                    Map(loader, SnapshotDocuments.ToScript(document), document.Position);
            }

            if (page.Count < LoaderPage)
                break;
        }

        Resume = null;
        return true;
    }

    private void Fail(string? document, long position, string source, Exception e) =>
        Counters.Errors.Add(IndexError.Of(_index.Time.GetUtcNow(), document, position, source, e));
}
