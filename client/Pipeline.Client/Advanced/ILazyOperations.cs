using System.Runtime.CompilerServices;
using System.Runtime.ExceptionServices;

namespace Pipeline.Client;

/// <summary>Loads and queries that wait for each other, so that one request fetches them all.</summary>
public interface ILazyOperations
{
    /// <summary>Loads a document with the other lazy values.</summary>
    LazyValue<T?> LoadAsync<T>(string id)
        where T : class;

    /// <summary>Loads documents with the other lazy values.</summary>
    LazyValue<IReadOnlyDictionary<string, T?>> LoadAsync<T>(IEnumerable<string> ids)
        where T : class;

    /// <summary>Runs a query of this session with the other lazy values.</summary>
    /// <param name="query">A query that began with <see cref="IDocumentSession.Query"/>.</param>
    LazyValue<QueryResults<T>> QueryAsync<T>(IQueryable<T> query);

    /// <summary>Runs a query in RQL with the other lazy values.</summary>
    /// <param name="query">A query that began with <see cref="IDocumentSession.RawQuery"/>.</param>
    LazyValue<QueryResults<T>> QueryAsync<T>(IRawQuery<T> query)
        where T : class;
}

/// <summary>
/// A value that is fetched when it is awaited, together with all lazy values of its session. It can be awaited more
/// than once.
/// </summary>
public sealed class LazyValue<T>
{
    private readonly Func<CancellationToken, ValueTask> _fetch;
    private ExceptionDispatchInfo? _error;
    private T? _value;

    internal LazyValue(Func<CancellationToken, ValueTask> fetch) => _fetch = fetch;

    /// <summary>Whether the value is here, so that it needs no request.</summary>
    public bool IsFetched { get; private set; }

    /// <summary>The value, fetched if it is not here yet.</summary>
    /// <exception cref="QueryException">The database refuses the query.</exception>
    /// <exception cref="InvalidOperationException">The session was cleared before the value was fetched.</exception>
    public async Task<T> GetAsync(CancellationToken cancellationToken = default)
    {
        if (!IsFetched)
            await _fetch(cancellationToken).ConfigureAwait(false);
        if (!IsFetched)
        {
            throw new InvalidOperationException(
                "the session was cleared before this value was fetched; ask for it again"
            );
        }

        _error?.Throw();
        return _value!;
    }

    /// <summary>Lets the value be awaited.</summary>
    public TaskAwaiter<T> GetAwaiter() => GetAsync().GetAwaiter();

    /// <summary>Takes the value, or the error that awaiting it throws.</summary>
    internal void Complete(Func<T> make)
    {
        try
        {
            _value = make();
        }
        catch (Exception e)
            when (e is PipelineClientException or InvalidCastException or System.Text.Json.JsonException)
        {
            _error = ExceptionDispatchInfo.Capture(e);
        }

        IsFetched = true;
    }
}
