using System.Diagnostics.CodeAnalysis;

namespace Pipeline.Client;

/// <summary>
/// Single operations without a session. Each is one transaction and tracks nothing. Thread-safe.
/// </summary>
public static class DocumentStoreExtensions
{
    private static readonly SessionOptions Untracked = new() { NoTracking = true };

    /// <summary>Loads a document.</summary>
    /// <param name="store">The store.</param>
    /// <param name="id">The id.</param>
    /// <param name="cancellationToken">Cancels the call.</param>
    /// <returns>A new object; <see langword="null"/> without such a document.</returns>
    public static async ValueTask<T?> LoadAsync<T>(
        this IDocumentStore store,
        string id,
        CancellationToken cancellationToken = default
    )
        where T : class
    {
        ArgumentNullException.ThrowIfNull(store);
        var session = store.OpenSession(Untracked);
        await using var _ = session.ConfigureAwait(false);
        return await session.LoadAsync<T>(id, cancellationToken).ConfigureAwait(false);
    }

    /// <summary>
    /// Stores an object, which gets an id if it has none. Replaces the document with its id, also one that was changed
    /// by others; a session can refuse that.
    /// </summary>
    /// <param name="store">The store.</param>
    /// <param name="entity">The object.</param>
    /// <param name="cancellationToken">Cancels the call.</param>
    /// <returns>The id.</returns>
    /// <remarks>
    /// Members of the stored document that the class lacks are not kept. To keep them, load and save with a session.
    /// </remarks>
    public static async ValueTask<string> SaveAsync(
        this IDocumentStore store,
        object entity,
        CancellationToken cancellationToken = default
    )
    {
        ArgumentNullException.ThrowIfNull(store);
        var session = store.OpenSession(new SessionOptions { UseOptimisticConcurrency = false });
        await using var _ = session.ConfigureAwait(false);
        var id = await session.StoreAsync(entity, cancellationToken).ConfigureAwait(false);
        await session.SaveChangesAsync(cancellationToken).ConfigureAwait(false);
        return id;
    }

    /// <summary>Deletes a document, if there is one.</summary>
    /// <param name="store">The store.</param>
    /// <param name="id">The id.</param>
    /// <param name="cancellationToken">Cancels the call.</param>
    public static async Task DeleteAsync(
        this IDocumentStore store,
        string id,
        CancellationToken cancellationToken = default
    )
    {
        ArgumentNullException.ThrowIfNull(store);
        var session = store.OpenSession(Untracked);
        await using var _ = session.ConfigureAwait(false);
        session.Delete(id);
        await session.SaveChangesAsync(cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Begins a query of the class's collection, or of an index. Its results are not tracked.</summary>
    /// <param name="store">The store.</param>
    /// <param name="index">The index; <see langword="null"/> queries the collection.</param>
    [RequiresUnreferencedCode("A query reads the members that its expressions name.")]
    [RequiresDynamicCode("A query compiles what its results are made of.")]
    [SuppressMessage(
        "Reliability",
        "CA2000",
        Justification = "The query needs the session; without tracking it holds nothing to release."
    )]
    public static IQueryable<T> Query<T>(this IDocumentStore store, string? index = null)
    {
        ArgumentNullException.ThrowIfNull(store);
        return store.OpenSession(Untracked).Query<T>(index);
    }

    /// <summary>Stores many objects as <see cref="IDocumentStore.BulkInsert"/> does, and waits for the last.</summary>
    /// <param name="store">The store.</param>
    /// <param name="entities">The objects; read once.</param>
    /// <param name="cancellationToken">Stops it; objects that were stored stay.</param>
    /// <returns>How many objects are durable.</returns>
    /// <exception cref="BulkInsertException">Some objects could not be stored.</exception>
    public static async Task<long> BulkInsertAsync<T>(
        this IDocumentStore store,
        IEnumerable<T> entities,
        CancellationToken cancellationToken = default
    )
        where T : class
    {
        ArgumentNullException.ThrowIfNull(entities);
        return await store.BulkInsertAsync(entities.ToAsyncEnumerable(), cancellationToken).ConfigureAwait(false);
    }

    /// <inheritdoc cref="BulkInsertAsync{T}(IDocumentStore,IEnumerable{T},CancellationToken)"/>
    public static async Task<long> BulkInsertAsync<T>(
        this IDocumentStore store,
        IAsyncEnumerable<T> entities,
        CancellationToken cancellationToken = default
    )
        where T : class
    {
        ArgumentNullException.ThrowIfNull(store);
        ArgumentNullException.ThrowIfNull(entities);
        var insert = store.BulkInsert();
        await using var _ = insert.ConfigureAwait(false);
        await foreach (var entity in entities.WithCancellation(cancellationToken).ConfigureAwait(false))
            await insert.StoreAsync(entity, null, cancellationToken).ConfigureAwait(false);
        return await insert.CompleteAsync(cancellationToken).ConfigureAwait(false);
    }
}
