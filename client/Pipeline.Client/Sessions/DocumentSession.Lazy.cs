using Pipeline.Client.Transport;

namespace Pipeline.Client.Sessions;

internal sealed partial class DocumentSession : ILazyOperations
{
    public ILazyOperations Lazily => this;

    LazyValue<T?> ILazyOperations.LoadAsync<T>(string id)
        where T : class
    {
        ArgumentException.ThrowIfNullOrEmpty(id);
        var load = new LazyLoad<T?, T>(this, [id], documents => documents[id]);
        Add(load);
        return load.Value;
    }

    LazyValue<IReadOnlyDictionary<string, T?>> ILazyOperations.LoadAsync<T>(IEnumerable<string> ids)
        where T : class
    {
        ArgumentNullException.ThrowIfNull(ids);
        var load = new LazyLoad<IReadOnlyDictionary<string, T?>, T>(this, [.. ids], documents => documents);
        Add(load);
        return load.Value;
    }

    LazyValue<QueryResults<T>> ILazyOperations.QueryAsync<T>(IQueryable<T> query)
    {
        var lazy = query is DocumentQuery<T> made
            ? made.ToLazy(this)
            : throw new ArgumentException(
                "this is no query of a session; begin with session.Query<T>()",
                nameof(query)
            );
        Add(lazy);
        return lazy.Value;
    }

    LazyValue<QueryResults<T>> ILazyOperations.QueryAsync<T>(IRawQuery<T> query)
        where T : class
    {
        var lazy = query is RawQuery<T> made
            ? made.ToLazy(this)
            : throw new ArgumentException(
                "this is no query of a session; begin with session.RawQuery<T>()",
                nameof(query)
            );
        Add(lazy);
        return lazy.Value;
    }

    public async ValueTask ExecuteAllPendingAsync(CancellationToken cancellationToken = default)
    {
        ObjectDisposedException.ThrowIf(_isDisposed, this);
        if (_pending is not { Lazy: { Count: > 0 } pending })
            return;
        List<LazyOperation> operations = [.. pending];
        List<string> missing =
        [
            .. operations.SelectMany(o => o.Ids).Distinct(StringComparer.OrdinalIgnoreCase).Where(id => !IsKnown(id)),
        ];
        List<LazyOperation> queries = [.. operations.Where(o => o.Query is not null)];
        var answer = new FetchAnswer([], []);
        if (missing.Count > 0 || queries.Count > 0)
        {
            answer = await Request()
                .FetchAsync(
                    new FetchRequest(missing, [.. queries.Select(q => q.Query!.WaitingBy(store.Options))]),
                    cancellationToken
                )
                .ConfigureAwait(false);
        }

        pending.RemoveAll(operations.Contains);
        var found = answer.Documents.ToDictionary(d => d.Id!, StringComparer.OrdinalIgnoreCase);
        for (var i = 0; i < queries.Count; i++)
        {
            Keep(answer.Queries[i].Answer?.Includes ?? []);
            queries[i].Complete(answer.Queries[i].Answer, answer.Queries[i].Error);
        }

        foreach (var load in operations.Where(o => o.Query is null))
            load.Complete(found);
    }

    /// <summary>The object of a document that the session has, or that a request found.</summary>
    internal T? Resolve<T>(string id, IReadOnlyDictionary<string, DocumentData> found)
        where T : class
    {
        if (_byId.TryGetValue(id, out var known))
            return known.IsDeleted ? null : Cast<T>(known.Entity, id);
        if (_deletedIds.Contains(id))
            return null;
        return found.TryGetValue(id, out var data) || _included.Remove(id, out data) ? Materialize<T>(data) : null;
    }

    /// <exception cref="ArgumentException">A query belongs to another session.</exception>
    internal void CheckIs(DocumentSession other)
    {
        if (other != this)
            throw new ArgumentException("the query belongs to another session");
    }

    private bool IsKnown(string id)
    {
        ArgumentException.ThrowIfNullOrEmpty(id);
        return _byId.ContainsKey(id) || _deletedIds.Contains(id) || _included.ContainsKey(id);
    }

    private void Add(LazyOperation operation)
    {
        ObjectDisposedException.ThrowIf(_isDisposed, this);
        (_pending ??= new PendingWork()).Lazy.Add(operation);
    }
}
