namespace Pipeline.Client;

/// <summary>A database as its users see it. One for a program; thread-safe.</summary>
public interface IDocumentStore : IAsyncDisposable
{
    /// <summary>How classes become documents.</summary>
    DocumentStoreOptions Options { get; }

    /// <summary>Begins a unit of work.</summary>
    /// <param name="options">How it differs from the store's options.</param>
    IDocumentSession OpenSession(SessionOptions? options = null);

    /// <summary>Begins to store many objects.</summary>
    IBulkInsert BulkInsert();

    /// <summary>Creates or changes indexes, one after the other.</summary>
    /// <param name="indexes">The indexes as texts; <see cref="IndexDeployment"/> takes classes.</param>
    /// <param name="cancellationToken">Cancels the call.</param>
    /// <exception cref="IndexException">The database refuses an index; those before it are in place.</exception>
    Task PutIndexesAsync(IReadOnlyList<IndexText> indexes, CancellationToken cancellationToken = default);

    /// <summary>
    /// Runs the <c>update { … }</c> script of a query on each document that it finds: <c>from Orders where Total > $p0
    /// update { this.IsLarge = true }</c>.
    /// </summary>
    /// <param name="query">
    /// The query in RQL; its script sees the parameters as <c>args.p0</c>, <c>args.p1</c> and so on.
    /// </param>
    /// <param name="parameters">
    /// The values of <c>$p0</c>, <c>$p1</c> and so on: texts, numbers, truth values, dates, and lists of these.
    /// </param>
    /// <param name="cancellationToken">Stops it between two transactions of some hundred documents.</param>
    /// <returns>How many documents the query found.</returns>
    /// <exception cref="QueryException">The database refuses the query.</exception>
    /// <exception cref="PatchException">The script fails. Transactions before stay.</exception>
    Task<long> PatchByQueryAsync(
        string query,
        IReadOnlyList<object?>? parameters = null,
        CancellationToken cancellationToken = default
    );

    /// <summary>Deletes each document that a query finds.</summary>
    /// <param name="query">The query in RQL.</param>
    /// <param name="parameters">The values of <c>$p0</c>, <c>$p1</c> and so on.</param>
    /// <param name="cancellationToken">Stops it between two transactions of some hundred documents.</param>
    /// <returns>How many documents the query found.</returns>
    /// <exception cref="QueryException">The database refuses the query.</exception>
    Task<long> DeleteByQueryAsync(
        string query,
        IReadOnlyList<object?>? parameters = null,
        CancellationToken cancellationToken = default
    );

    /// <summary>Appends, reads and projects events.</summary>
    IEventStreams Events { get; }

    /// <summary>Creates, changes and deletes subscriptions.</summary>
    IDocumentSubscriptions Subscriptions { get; }

    /// <summary>
    /// A worker of a subscription, which receives its documents as objects. It connects when it is enumerated or run.
    /// </summary>
    /// <param name="name">The subscription.</param>
    /// <param name="options">How the worker takes part.</param>
    IDocumentSubscription<T> Subscribe<T>(string name, SubscribeOptions? options = null)
        where T : class;
}
