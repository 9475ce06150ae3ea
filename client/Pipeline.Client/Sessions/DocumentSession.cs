using System.Diagnostics.CodeAnalysis;
using System.Text.Json.Nodes;
using Pipeline.Client.Transport;

namespace Pipeline.Client.Sessions;

/// <summary>The unit of work of both transports.</summary>
internal sealed partial class DocumentSession(ClientContext store, SessionOptions options)
    : IDocumentSession,
        ISessionAdvanced,
        IDisposable
{
    private readonly Dictionary<string, TrackedDocument> _byId = new(StringComparer.OrdinalIgnoreCase);
    private readonly Dictionary<object, TrackedDocument> _byEntity = new(ReferenceEqualityComparer.Instance);
    private readonly Dictionary<string, DocumentData> _included = new(StringComparer.OrdinalIgnoreCase);
    private readonly HashSet<string> _deletedIds = new(StringComparer.OrdinalIgnoreCase);
    private bool _isDisposed;

    public ISessionAdvanced Advanced => this;

    public int RequestCount { get; private set; }

    internal ClientContext Store => store;

    private bool ChecksVersions => options.UseOptimisticConcurrency ?? store.Options.UseOptimisticConcurrency;

    private void Remember(object entity, string? id, string? changeVector)
    {
        ArgumentNullException.ThrowIfNull(entity);
        ObjectDisposedException.ThrowIf(_isDisposed, this);
        if (_byEntity.TryGetValue(entity, out var known))
        {
            known.ExpectedChangeVector = changeVector ?? known.ExpectedChangeVector;
            known.IsDeleted = false;
            return;
        }

        var model = store.ModelOf(entity.GetType());
        var tracked = new TrackedDocument(entity, model)
        {
            Id = id ?? model.GetId(entity),
            ExpectedChangeVector = changeVector,
        };
        Track(tracked);
    }

    void IDocumentSession.Store(object entity, string? id, string? changeVector) => Remember(entity, id, changeVector);

    public async ValueTask<string> StoreAsync(object entity, CancellationToken cancellationToken = default)
    {
        Remember(entity, null, null);
        return await IdentifyAsync(_byEntity[entity], cancellationToken).ConfigureAwait(false);
    }

    public void Delete(object entity)
    {
        ArgumentNullException.ThrowIfNull(entity);
        if (entity is string id)
        {
            Delete(id);
            return;
        }

        var tracked = Known(entity);
        if (tracked.IsNew)
            Forget(tracked);
        else
            tracked.IsDeleted = true;
    }

    public void Delete(string id)
    {
        ArgumentException.ThrowIfNullOrEmpty(id);
        ObjectDisposedException.ThrowIf(_isDisposed, this);
        _included.Remove(id);
        if (_byId.TryGetValue(id, out var tracked))
            Delete(tracked.Entity);
        else
            _deletedIds.Add(id);
    }

    [RequiresUnreferencedCode("A query reads the members that its expressions name.")]
    [RequiresDynamicCode("A query compiles what its results are made of.")]
    public IQueryable<T> Query<T>(string? index = null) =>
        new DocumentQuery<T>(new QueryProvider(this, typeof(T), index));

    public IRawQuery<T> RawQuery<T>(string query, params IReadOnlyList<object?> parameters)
        where T : class => new RawQuery<T>(this, query, parameters);

    public string? GetDocumentId(object entity) => Known(entity).Id;

    public string? GetChangeVector(object entity) => Known(entity).ChangeVector;

    public DateTimeOffset? GetLastModified(object entity) => Known(entity).LastModified;

    public JsonObject GetMetadata(object entity) => Known(entity).Metadata;

    public bool HasChanged(object entity) =>
        Known(entity) is var tracked && (tracked.IsDeleted || tracked.HasChanged(tracked.Serialize()));

    public bool HasChanges =>
        _deletedIds.Count > 0
        || _pending is { Actions.Count: > 0 }
        || _byEntity.Values.Any(t => t.IsDeleted || t.HasChanged(t.Serialize()));

    public void Evict(object entity) => Forget(Known(entity));

    public void Clear()
    {
        _byId.Clear();
        _byEntity.Clear();
        _included.Clear();
        _deletedIds.Clear();
        _pending = null;
    }

    public async ValueTask<T?> RefreshAsync<T>(T entity, CancellationToken cancellationToken = default)
        where T : class
    {
        var tracked = Known(entity);
        var id = tracked.Id ?? throw new InvalidOperationException("the object was never saved");
        Forget(tracked);
        _included.Remove(id);
        return await LoadAsync<T>(id, cancellationToken).ConfigureAwait(false);
    }

    public ValueTask DisposeAsync()
    {
        Dispose();
        return ValueTask.CompletedTask;
    }

    /// <summary>For scopes of services that are not disposed asynchronously; nothing here waits.</summary>
    public void Dispose()
    {
        _isDisposed = true;
        Clear();
    }

    private TrackedDocument Known(object entity)
    {
        ArgumentNullException.ThrowIfNull(entity);
        ObjectDisposedException.ThrowIf(_isDisposed, this);
        return _byEntity.TryGetValue(entity, out var tracked)
            ? tracked
            : throw new InvalidOperationException(
                $"this {entity.GetType().Name} does not belong to the session: load or store it with this session first"
            );
    }

    private void Track(TrackedDocument tracked)
    {
        if (tracked.Id is { } id)
        {
            if (_byId.TryGetValue(id, out var other) && !ReferenceEquals(other, tracked))
            {
                throw new InvalidOperationException(
                    $"the session already has another object with the id '{id}'; change that one, or evict it first"
                );
            }

            _byId[id] = tracked;
            _deletedIds.Remove(id);
        }

        _byEntity[tracked.Entity] = tracked;
    }

    private void Forget(TrackedDocument tracked)
    {
        _byEntity.Remove(tracked.Entity);
        if (tracked.Id is { } id)
            _byId.Remove(id);
    }

    private async ValueTask<string> IdentifyAsync(TrackedDocument tracked, CancellationToken cancellationToken)
    {
        if (tracked.Id is { } known)
            return known;
        if (tracked.Model.GetId(tracked.Entity) is { } held)
        {
            tracked.Id = held;
        }
        else
        {
            tracked.Id = await store
                .MakeIdAsync(tracked.Entity, tracked.Model, cancellationToken)
                .ConfigureAwait(false);
            tracked.Model.SetId(tracked.Entity, tracked.Id);
        }

        Track(tracked);
        return tracked.Id;
    }
}
