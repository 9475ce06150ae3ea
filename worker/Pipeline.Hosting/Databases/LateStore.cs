using Pipeline.Client;

namespace Pipeline.Hosting.Databases;

/// <summary>
/// A store on a database that the host opens at its start, so that constructors can take it before that. Thread-safe.
/// </summary>
internal sealed class LateStore(IOpenedDatabase source, DocumentStoreOptions? options) : IDocumentStore
{
    private IDocumentStore? _store;

    /// <inheritdoc/>
    public DocumentStoreOptions Options { get; } = options ?? new DocumentStoreOptions();

    /// <exception cref="InvalidOperationException">The host has not opened the database yet.</exception>
    private IDocumentStore Opened
    {
        get
        {
            if (Volatile.Read(ref _store) is { } known)
                return known;
            var made = source.Database.AsStore(source.Subscriptions, Options);
            return Interlocked.CompareExchange(ref _store, made, null) ?? made;
        }
    }

    /// <inheritdoc/>
    /// <exception cref="InvalidOperationException">The host has not opened the database yet.</exception>
    public IDocumentSession OpenSession(SessionOptions? options = null) => Opened.OpenSession(options);

    /// <inheritdoc/>
    /// <exception cref="InvalidOperationException">The host has not opened the database yet.</exception>
    public IBulkInsert BulkInsert() => Opened.BulkInsert();

    /// <inheritdoc/>
    /// <exception cref="InvalidOperationException">The host has not opened the database yet.</exception>
    public Task PutIndexesAsync(IReadOnlyList<IndexText> indexes, CancellationToken cancellationToken = default) =>
        Opened.PutIndexesAsync(indexes, cancellationToken);

    /// <inheritdoc/>
    /// <exception cref="InvalidOperationException">The host has not opened the database yet.</exception>
    public Task<long> PatchByQueryAsync(
        string query,
        IReadOnlyList<object?>? parameters = null,
        CancellationToken cancellationToken = default
    ) => Opened.PatchByQueryAsync(query, parameters, cancellationToken);

    /// <inheritdoc/>
    /// <exception cref="InvalidOperationException">The host has not opened the database yet.</exception>
    public Task<long> DeleteByQueryAsync(
        string query,
        IReadOnlyList<object?>? parameters = null,
        CancellationToken cancellationToken = default
    ) => Opened.DeleteByQueryAsync(query, parameters, cancellationToken);

    /// <inheritdoc/>
    /// <exception cref="InvalidOperationException">The host has not opened the database yet.</exception>
    public IEventStreams Events => Opened.Events;

    /// <inheritdoc/>
    /// <exception cref="InvalidOperationException">The host has not opened the database yet.</exception>
    public IDocumentSubscriptions Subscriptions => Opened.Subscriptions;

    /// <inheritdoc/>
    /// <exception cref="InvalidOperationException">The host has not opened the database yet.</exception>
    public IDocumentSubscription<T> Subscribe<T>(string name, SubscribeOptions? options = null)
        where T : class => Opened.Subscribe<T>(name, options);

    /// <summary>Does nothing: the host closes the database.</summary>
    public ValueTask DisposeAsync() => ValueTask.CompletedTask;
}
