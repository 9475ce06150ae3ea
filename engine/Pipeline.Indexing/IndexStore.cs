using System.Diagnostics.CodeAnalysis;
using Pipeline.Storage;

namespace Pipeline.Indexing;

/// <summary>
/// An inverted index in its own storage environment: fields, terms, postings, columns, numbers and entries. They change
/// in batches, each committed in one transaction with the progress. Thread-safe.
/// </summary>
public sealed class IndexStore : IDisposable
{
    /// <summary>The most entries that an index may have in its life, deleted ones included.</summary>
    public const int MaxEntries = IndexLimits.Entries;

    private readonly StorageEnvironment _environment;
    private readonly IndexOptions _options;
    private readonly SemaphoreSlim _writing = new(1, 1);
    private readonly FieldCatalog _fields;
    private readonly ReaderPool _readers;
    private bool _disposed;

    private IndexStore(StorageEnvironment environment, IndexOptions options)
    {
        _environment = environment;
        _options = options;
        using var snapshot = environment.BeginRead();
        _ = IndexHeader.Read(snapshot);
        _fields = new FieldCatalog(snapshot, options.MaxFields);
        _readers = new ReaderPool(environment, _fields, options.MaxPooledReaders);
    }

    /// <summary>All fields, by number.</summary>
    public IReadOnlyList<IndexField> Fields => _fields.All;

    /// <summary>
    /// Opens the index in an environment; an empty index if there is none. Any other trees of the environment have a
    /// <c>/</c> in their names. The environment stays the caller's.
    /// </summary>
    /// <exception cref="IndexCorruptException">Stored data is damaged, or of a newer format.</exception>
    public static IndexStore Open(StorageEnvironment environment, IndexOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(environment);
        return new IndexStore(environment, options ?? new IndexOptions());
    }

    /// <summary>
    /// Gets the field of a name; if there is none, defines it with the options. The first commit stores it.
    /// </summary>
    /// <exception cref="ArgumentException">
    /// The name is empty or too long, or the field exists with other options.
    /// </exception>
    /// <exception cref="TooManyFieldsException">The index has as many fields as it may have.</exception>
    public IndexField Field(string name, FieldOptions? options = null) => _fields.GetOrDefine(name, options);

    /// <summary>The field of a name, if there is one.</summary>
    public bool TryGetField(string name, [NotNullWhen(true)] out IndexField? field) => _fields.TryGet(name, out field);

    /// <summary>
    /// An empty batch, full at a number of bytes: by default <see cref="IndexOptions.MaxBatchBytes"/>.
    /// </summary>
    public IndexBatch NewBatch(long? maxBytes = null) => new(maxBytes ?? _options.MaxBatchBytes);

    /// <summary>A snapshot of the index. Dispose it soon, for use again.</summary>
    /// <exception cref="ObjectDisposedException">The store is closed.</exception>
    public IndexReader OpenReader() => _readers.Open();

    /// <summary>
    /// Adds batches to the index, in their order, in one transaction, and sets its progress. Open snapshots do not
    /// change.
    /// </summary>
    /// <param name="batches">
    /// Batches whose entries are ended; they are the caller's to dispose, and must not change until the task completes.
    /// </param>
    /// <param name="progress">The position of the source up to which the index then shows it.</param>
    /// <param name="ct">Ends the preparation; nothing is changed then.</param>
    /// <exception cref="InvalidOperationException">An entry of a batch was begun and not ended.</exception>
    /// <exception cref="IndexFullException">All entry numbers are used up.</exception>
    /// <exception cref="IndexCorruptException">Stored data is damaged; nothing was changed.</exception>
    /// <exception cref="StorageException">The environment refused the transaction.</exception>
    public Task CommitAsync(IReadOnlyList<IndexBatch> batches, long progress, CancellationToken ct = default) =>
        CommitAsync(batches, progress, null, ct);

    /// <inheritdoc cref="CommitAsync(IReadOnlyList{IndexBatch}, long, CancellationToken)"/>
    /// <param name="batches">As there.</param>
    /// <param name="progress">As there.</param>
    /// <param name="also">
    /// What changes in other trees of the environment in the same transaction; it may be run again.
    /// </param>
    /// <param name="ct">As there.</param>
    public async Task CommitAsync(
        IReadOnlyList<IndexBatch> batches,
        long progress,
        Action<WriteTransaction>? also,
        CancellationToken ct
    )
    {
        ArgumentNullException.ThrowIfNull(batches);
        ObjectDisposedException.ThrowIf(_disposed, this);
        foreach (var batch in batches)
            batch.CheckComplete();
        await _writing.WaitAsync(ct).ConfigureAwait(false);
        try
        {
            ObjectDisposedException.ThrowIf(_disposed, this);
            using var commit = new IndexCommit(_environment, batches, _options.CommitThreads, ct);
            if (commit.IsSmall)
                commit.Prepare(Fields, progress);
            else
                await Task.Run(() => commit.Prepare(Fields, progress), ct).ConfigureAwait(false);
            await _environment
                .WriteAsync(
                    transaction =>
                    {
                        commit.Apply(transaction);
                        also?.Invoke(transaction);
                    },
                    ct
                )
                .ConfigureAwait(false);
        }
        finally
        {
            _writing.Release();
        }
    }

    /// <summary>Whether enough entries are deleted for a purge to be worthwhile, or a purge is in progress.</summary>
    public bool NeedsPurge
    {
        get
        {
            using var reader = OpenReader();
            return reader.NeedsPurge(_options.PurgePercent);
        }
    }

    /// <summary>
    /// Runs one step of a purge, which takes deleted entries out of posting lists and columns to recover space and
    /// speed. A step handles a bounded number of lists in one transaction. Commits may come between steps. Search
    /// results do not change, but document frequencies become exact.
    /// </summary>
    /// <returns>Whether the purge has more to do.</returns>
    /// <exception cref="IndexCorruptException">Stored data is damaged; nothing was changed.</exception>
    /// <exception cref="StorageException">The environment refused the transaction.</exception>
    public async Task<bool> PurgeStepAsync(CancellationToken ct = default)
    {
        ObjectDisposedException.ThrowIf(_disposed, this);
        await _writing.WaitAsync(ct).ConfigureAwait(false);
        try
        {
            ObjectDisposedException.ThrowIf(_disposed, this);
            using var reader = OpenReader();
            using var purge = new IndexPurge(reader);
            if (purge.IsIdle)
                return false;
            await Task.Run(() => purge.Prepare(_options.MaxPurgeStepBytes, ct), ct).ConfigureAwait(false);
            await _environment.WriteAsync(purge.Apply, ct).ConfigureAwait(false);
            return !purge.IsLast;
        }
        finally
        {
            _writing.Release();
        }
    }

    /// <summary>Closes the readers that wait for use again. The environment stays open.</summary>
    public void Dispose()
    {
        _disposed = true;
        _readers.Dispose();
    }
}
