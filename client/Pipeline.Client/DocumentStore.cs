using Pipeline.Client.Events;
using Pipeline.Client.Queries;
using Pipeline.Client.Sessions;
using Pipeline.Client.Subscriptions;
using Pipeline.Client.Transport;

namespace Pipeline.Client;

/// <summary>A database over HTTP or, with the package Pipeline.Client.Embedded, in the process.</summary>
public sealed class DocumentStore : IDocumentStore
{
    private readonly ClientContext _context;

    internal DocumentStore(IDocumentTransport transport, DocumentStoreOptions? options)
    {
        _context = new ClientContext(transport, options ?? new DocumentStoreOptions());
        Events = new EventStreams(_context);
        Subscriptions = new DocumentSubscriptions(_context);
    }

    /// <inheritdoc/>
    public DocumentStoreOptions Options => _context.Options;

    /// <summary>Opens a database of a server. No request is made yet.</summary>
    /// <param name="url">The server: <c>http://127.0.0.1:8080</c>.</param>
    /// <param name="database">The database's name.</param>
    /// <param name="options">How classes become documents.</param>
    /// <param name="client">
    /// The client that makes the requests, for example one with a certificate or a token; it stays the caller's.
    /// Without it, the store makes its own.
    /// </param>
    public static IDocumentStore Connect(
        string url,
        string database,
        DocumentStoreOptions? options = null,
        HttpClient? client = null
    )
    {
        ArgumentException.ThrowIfNullOrEmpty(url);
        ArgumentException.ThrowIfNullOrEmpty(database);
        return new DocumentStore(new HttpTransport(url, database, client), options);
    }

    /// <inheritdoc/>
    public IDocumentSession OpenSession(SessionOptions? options = null) =>
        new DocumentSession(_context, options ?? new SessionOptions());

    /// <inheritdoc/>
    public IBulkInsert BulkInsert() => new Bulk.TypedBulkInsert(_context);

    /// <inheritdoc/>
    public async Task PutIndexesAsync(IReadOnlyList<IndexText> indexes, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(indexes);
        foreach (var index in indexes)
            await _context.Transport.PutIndexAsync(index, cancellationToken).ConfigureAwait(false);
    }

    /// <inheritdoc/>
    public Task<long> PatchByQueryAsync(
        string query,
        IReadOnlyList<object?>? parameters = null,
        CancellationToken cancellationToken = default
    ) => ChangeByQueryAsync(query, parameters, deletes: false, cancellationToken);

    /// <inheritdoc/>
    public Task<long> DeleteByQueryAsync(
        string query,
        IReadOnlyList<object?>? parameters = null,
        CancellationToken cancellationToken = default
    ) => ChangeByQueryAsync(query, parameters, deletes: true, cancellationToken);

    /// <inheritdoc/>
    public IEventStreams Events { get; }

    /// <inheritdoc/>
    public IDocumentSubscriptions Subscriptions { get; }

    /// <inheritdoc/>
    public IDocumentSubscription<T> Subscribe<T>(string name, SubscribeOptions? options = null)
        where T : class
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        return new DocumentSubscription<T>(_context, name, options ?? new SubscribeOptions());
    }

    /// <inheritdoc/>
    public ValueTask DisposeAsync() => _context.Transport.DisposeAsync();

    private Task<long> ChangeByQueryAsync(
        string query,
        IReadOnlyList<object?>? parameters,
        bool deletes,
        CancellationToken cancellationToken
    )
    {
        ArgumentException.ThrowIfNullOrEmpty(query);
        return _context.Transport.ChangeByQueryAsync(
            QueryPlan.QueryOf(query, parameters ?? []) with
            {
                Wait = Options.QueryWait,
            },
            deletes,
            cancellationToken
        );
    }
}
