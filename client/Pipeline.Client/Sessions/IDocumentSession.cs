using System.Diagnostics.CodeAnalysis;
using System.Linq.Expressions;

namespace Pipeline.Client;

/// <summary>
/// A unit of work: it loads objects, tracks them by id, and saves all changes in one transaction. For one thread at a
/// time.
/// </summary>
public interface IDocumentSession : IAsyncDisposable
{
    /// <summary>Patches, attachments, revisions, metadata and what else is seldom needed.</summary>
    ISessionAdvanced Advanced { get; }

    /// <summary>Loads a document. The same id gives the same object.</summary>
    /// <returns>The object; <see langword="null"/> if there is no such document.</returns>
    ValueTask<T?> LoadAsync<T>(string id, CancellationToken cancellationToken = default)
        where T : class;

    /// <summary>Loads documents with one request.</summary>
    /// <returns>The objects by their ids; <see langword="null"/> for one that does not exist.</returns>
    ValueTask<IReadOnlyDictionary<string, T?>> LoadAsync<T>(
        IEnumerable<string> ids,
        CancellationToken cancellationToken = default
    )
        where T : class;

    /// <summary>
    /// Loads documents together with those that their members refer to; these are then loaded without a request.
    /// </summary>
    /// <param name="path">A member that holds an id, or a list of ids.</param>
    IIncludingLoader<T> Include<T>(Expression<Func<T, object?>> path)
        where T : class;

    /// <summary>Has the next save store an object. An object without an id gets one then.</summary>
    /// <param name="entity">The object.</param>
    /// <param name="id">Its id; <see langword="null"/> uses the id that the object has.</param>
    /// <param name="changeVector">
    /// The version that must be stored at that time: <see langword="null"/> is any, an empty text is none.
    /// </param>
    void Store(object entity, string? id = null, string? changeVector = null);

    /// <summary>As <see cref="Store"/>; the object has its id when the call returns.</summary>
    /// <returns>The id.</returns>
    ValueTask<string> StoreAsync(object entity, CancellationToken cancellationToken = default);

    /// <summary>Has the next save delete the document of an object that this session loaded or stored.</summary>
    /// <exception cref="InvalidOperationException">The session does not know the object.</exception>
    void Delete(object entity);

    /// <summary>Has the next save delete a document.</summary>
    void Delete(string id);

    /// <summary>
    /// Saves all changes in one transaction. If it fails nothing is stored, and the session keeps the changes.
    /// </summary>
    /// <exception cref="ConcurrencyException">A document is not in the expected version.</exception>
    /// <exception cref="PatchException">The script of a patch fails.</exception>
    /// <exception cref="AttachmentSaveException">An attachment cannot be stored.</exception>
    /// <exception cref="InvalidOperationException">A document is patched, and its object has changes.</exception>
    Task SaveChangesAsync(CancellationToken cancellationToken = default);

    /// <summary>Begins a query of the class's collection, or of an index.</summary>
    /// <param name="index">The index; <see langword="null"/> queries the collection.</param>
    [RequiresUnreferencedCode("A query reads the members that its expressions name.")]
    [RequiresDynamicCode("A query compiles what its results are made of.")]
    IQueryable<T> Query<T>(string? index = null);

    /// <summary>Runs a query in RQL.</summary>
    /// <param name="query">The text; its parameters are <c>$p0</c>, <c>$p1</c> and so on.</param>
    /// <param name="parameters">Their values: texts, numbers, truth values, dates, and lists of these.</param>
    IRawQuery<T> RawQuery<T>(string query, params IReadOnlyList<object?> parameters)
        where T : class;
}

/// <summary>Loads documents together with those that their members refer to.</summary>
public interface IIncludingLoader<T>
    where T : class
{
    /// <summary>Includes the documents of another member, too.</summary>
    IIncludingLoader<T> Include(Expression<Func<T, object?>> path);

    /// <summary>Loads a document.</summary>
    ValueTask<T?> LoadAsync(string id, CancellationToken cancellationToken = default);

    /// <summary>Loads documents.</summary>
    ValueTask<IReadOnlyDictionary<string, T?>> LoadAsync(
        IEnumerable<string> ids,
        CancellationToken cancellationToken = default
    );
}

/// <summary>Patches, attachments, revisions, versions, metadata and what else of a session is seldom needed.</summary>
public interface ISessionAdvanced : ISessionPatches
{
    /// <summary>Files that belong to documents.</summary>
    ISessionAttachments Attachments { get; }

    /// <summary>Former versions of documents.</summary>
    ISessionRevisions Revisions { get; }

    /// <summary>Values that are set only if nobody changed them since.</summary>
    ISessionCompareExchange CompareExchange { get; }

    /// <summary>Loads and queries that one request fetches together.</summary>
    ILazyOperations Lazily { get; }

    /// <summary>Fetches all lazy values with one request.</summary>
    ValueTask ExecuteAllPendingAsync(CancellationToken cancellationToken = default);

    /// <summary>The id of an object that the session knows; <see langword="null"/> if it has none yet.</summary>
    string? GetDocumentId(object entity);

    /// <summary>
    /// The version that an object was loaded or saved in; <see langword="null"/> before its first save.
    /// </summary>
    string? GetChangeVector(object entity);

    /// <summary>When an object's document was changed last.</summary>
    DateTimeOffset? GetLastModified(object entity);

    /// <summary>
    /// The metadata of an object's document, to read and to change; a change is saved with the object.
    /// </summary>
    System.Text.Json.Nodes.JsonObject GetMetadata(object entity);

    /// <summary>Whether the next save stores an object.</summary>
    bool HasChanged(object entity);

    /// <summary>Whether the next save stores or deletes anything.</summary>
    bool HasChanges { get; }

    /// <summary>Forgets an object and its changes.</summary>
    void Evict(object entity);

    /// <summary>Forgets all objects and all changes.</summary>
    void Clear();

    /// <summary>Reads an object's document anew, into the same object's place.</summary>
    /// <returns>The new object; <see langword="null"/> if the document is gone.</returns>
    ValueTask<T?> RefreshAsync<T>(T entity, CancellationToken cancellationToken = default)
        where T : class;

    /// <summary>The requests that the session has made.</summary>
    int RequestCount { get; }
}

/// <summary>How a session differs from its store's options.</summary>
public sealed record SessionOptions
{
    /// <summary>
    /// Whether a save fails if a document was changed by others since the session loaded it; <see langword="null"/>
    /// does as the store does.
    /// </summary>
    public bool? UseOptimisticConcurrency { get; init; }

    /// <summary>
    /// Whether the session tracks nothing: each load returns a new object, and a save ignores loaded objects.
    /// </summary>
    public bool NoTracking { get; init; }
}
