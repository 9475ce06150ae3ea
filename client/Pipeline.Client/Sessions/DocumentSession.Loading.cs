using System.Linq.Expressions;
using Pipeline.Client.Queries;
using Pipeline.Client.Transport;

namespace Pipeline.Client.Sessions;

internal sealed partial class DocumentSession
{
    public ValueTask<T?> LoadAsync<T>(string id, CancellationToken cancellationToken = default)
        where T : class
    {
        ArgumentException.ThrowIfNullOrEmpty(id);
        ObjectDisposedException.ThrowIf(_isDisposed, this);
        if (TryGetKnown<T>(id, out var entity))
            return ValueTask.FromResult(entity);
        RequestCount++;
        var loading = store.Transport.LoadAsync(id, cancellationToken);
        return loading.IsCompletedSuccessfully
            ? ValueTask.FromResult(loading.Result is { } data ? Loaded<T>(data) : null)
            : LoadedAsync<T>(loading);
    }

    public ValueTask<IReadOnlyDictionary<string, T?>> LoadAsync<T>(
        IEnumerable<string> ids,
        CancellationToken cancellationToken = default
    )
        where T : class => LoadAsync<T>(ids, [], cancellationToken);

    public IIncludingLoader<T> Include<T>(Expression<Func<T, object?>> path)
        where T : class => new Including<T>(this, []).Include(path);

    /// <summary>The object of a document: the one that the session has, or a new one.</summary>
    internal T Materialize<T>(DocumentData data)
    {
        if (data.Id is { } id && !data.IsProjection && !options.NoTracking)
        {
            if (_byId.TryGetValue(id, out var known))
                return Cast<T>(known.Entity, id);
            var tracked = TrackedDocument.Load(data, store.ModelOf(typeof(T)));
            var entity = Cast<T>(tracked.Entity, id);
            Track(tracked);
            return entity;
        }

        return (T)Read(data, typeof(T));
    }

    /// <summary>The object of a document, which the session does not track.</summary>
    internal object Read(DocumentData data, Type type) =>
        DocumentReader.Read(data, store.ModelOf(type), setsId: !data.IsProjection)!;

    internal async ValueTask<QueryReply> QueryAsync(RqlQuery query, CancellationToken cancellationToken)
    {
        ObjectDisposedException.ThrowIf(_isDisposed, this);
        RequestCount++;
        var answer = await store
            .Transport.QueryAsync(query.WaitingBy(store.Options), cancellationToken)
            .ConfigureAwait(false);
        Keep(answer.Includes);
        return answer;
    }

    internal IAsyncEnumerable<DocumentData> StreamAsync(RqlQuery query, CancellationToken cancellationToken)
    {
        ObjectDisposedException.ThrowIf(_isDisposed, this);
        RequestCount++;
        return store.Transport.StreamAsync(query.WaitingBy(store.Options), cancellationToken);
    }

    private async ValueTask<T?> LoadAsync<T>(
        string id,
        IReadOnlyList<string> includes,
        CancellationToken cancellationToken
    )
        where T : class
    {
        ArgumentException.ThrowIfNullOrEmpty(id);
        return (await LoadAsync<T>([id], includes, cancellationToken).ConfigureAwait(false))[id];
    }

    private async ValueTask<IReadOnlyDictionary<string, T?>> LoadAsync<T>(
        IEnumerable<string> ids,
        IReadOnlyList<string> includes,
        CancellationToken cancellationToken
    )
        where T : class
    {
        ArgumentNullException.ThrowIfNull(ids);
        ObjectDisposedException.ThrowIf(_isDisposed, this);
        var results = new Dictionary<string, T?>(StringComparer.OrdinalIgnoreCase);
        var missing = new List<string>();
        foreach (var id in ids)
        {
            if (includes.Count > 0)
                _included.Remove(id);
            else if (TryGetKnown<T>(id, out var entity))
                results[id] = entity;
            if (results.TryAdd(id, null) && !_deletedIds.Contains(id))
                missing.Add(id);
        }

        if (missing.Count == 0)
            return results;
        RequestCount++;
        var loaded = await store.Transport.LoadAsync(missing, includes, cancellationToken).ConfigureAwait(false);
        foreach (var data in loaded)
        {
            if (results.ContainsKey(data.Id!))
                results[data.Id!] = Loaded<T>(data);
            else
                Keep([data]);
        }

        return results;
    }

    /// <summary>Finds what the session knows of a document without a request.</summary>
    private bool TryGetKnown<T>(string id, out T? entity)
        where T : class
    {
        entity = null;
        if (_byId.TryGetValue(id, out var known))
            entity = known.IsDeleted ? null : Cast<T>(known.Entity, id);
        else if (_included.Count > 0 && !_deletedIds.Contains(id) && _included.Remove(id, out var data))
            entity = Materialize<T>(data);
        else
            return _deletedIds.Contains(id);
        return true;
    }

    private async ValueTask<T?> LoadedAsync<T>(ValueTask<DocumentData?> loading)
        where T : class => await loading.ConfigureAwait(false) is { } data ? Loaded<T>(data) : null;

    /// <summary>The object of a loaded document; <see langword="null"/> if the session deleted it.</summary>
    private T? Loaded<T>(DocumentData data)
        where T : class => _byId.TryGetValue(data.Id!, out var known) && known.IsDeleted ? null : Materialize<T>(data);

    /// <summary>
    /// Tracks an object that was made of a document elsewhere, unless the session has another one for it.
    /// </summary>
    internal void Adopt(DocumentData data, object entity)
    {
        if (!_isDisposed && !options.NoTracking && !_byId.ContainsKey(data.Id!))
            Track(TrackedDocument.Load(data, store.ModelOf(entity.GetType()), entity));
    }

    /// <summary>Keeps documents for later loads, which then need no request.</summary>
    internal void Keep(IReadOnlyList<DocumentData> documents)
    {
        foreach (var data in documents)
        {
            if (data.Id is { } id && !_byId.ContainsKey(id))
                _included[id] = data;
        }
    }

    private static T Cast<T>(object entity, string id) =>
        entity is T typed
            ? typed
            : throw new InvalidCastException(
                $"the document '{id}' is a {entity.GetType().Name} in this session, not a {typeof(T).Name}"
            );

    private sealed class Including<T>(DocumentSession session, IReadOnlyList<string> paths) : IIncludingLoader<T>
        where T : class
    {
        public IIncludingLoader<T> Include(Expression<Func<T, object?>> path) =>
            new Including<T>(session, [.. paths, MemberPath.Of(path, session.Store.Options)]);

        public ValueTask<T?> LoadAsync(string id, CancellationToken cancellationToken = default) =>
            session.LoadAsync<T>(id, paths, cancellationToken);

        public ValueTask<IReadOnlyDictionary<string, T?>> LoadAsync(
            IEnumerable<string> ids,
            CancellationToken cancellationToken = default
        ) => session.LoadAsync<T>(ids, paths, cancellationToken);
    }
}
