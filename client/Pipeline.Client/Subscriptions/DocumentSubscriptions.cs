using Pipeline.Client.Transport;

namespace Pipeline.Client.Subscriptions;

/// <summary>The subscriptions of a store, by its conventions.</summary>
internal sealed class DocumentSubscriptions(DocumentStore store) : IDocumentSubscriptions
{
    public Task CreateAsync<T>(string name, SubscriptionOptions? options, CancellationToken cancellationToken)
        where T : class => DefineAsync<T>(name, options, isNew: true, cancellationToken);

    public Task EnsureAsync<T>(string name, SubscriptionOptions? options, CancellationToken cancellationToken)
        where T : class => DefineAsync<T>(name, options, isNew: false, cancellationToken);

    public Task DeleteAsync(string name, CancellationToken cancellationToken)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        return store.Transport.DeleteSubscriptionAsync(name, cancellationToken);
    }

    private Task DefineAsync<T>(string name, SubscriptionOptions? options, bool isNew, CancellationToken cancellationToken)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        return store.Transport.DefineSubscriptionAsync(new SubscriptionTerms(name, store.ModelOf(typeof(T)).Collection, options ?? new SubscriptionOptions()), isNew, cancellationToken);
    }
}
