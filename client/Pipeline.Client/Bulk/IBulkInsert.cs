namespace Pipeline.Client;

/// <summary>
/// Stores many objects fast, in constant memory and in commits of bounded size. It is no transaction. One caller at a
/// time.
/// </summary>
/// <remarks>
/// An object is durable once <see cref="CompleteAsync"/> or the disposal has returned. Disposal stores the rest, also
/// when an exception leaves the block. What a failed bulk insert stored before the failure stays stored.
/// </remarks>
public interface IBulkInsert : IAsyncDisposable
{
    /// <summary>How many objects were accepted.</summary>
    long Count { get; }

    /// <summary>Adds an object, or replaces the document with its id. Returns when the next one may follow.</summary>
    /// <param name="entity">The object, serialized before this returns.</param>
    /// <param name="id">
    /// The id; <see langword="null"/> uses the object's, or makes one by the store's convention.
    /// </param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <returns>The id.</returns>
    /// <exception cref="BulkInsertException">Earlier objects could not be stored.</exception>
    ValueTask<string> StoreAsync(object entity, string? id = null, CancellationToken cancellationToken = default);

    /// <summary>Stores the rest and waits until everything is durable. Nothing can be added afterwards.</summary>
    /// <returns>How many objects are durable.</returns>
    /// <exception cref="BulkInsertException">Some objects could not be stored.</exception>
    Task<long> CompleteAsync(CancellationToken cancellationToken = default);
}
