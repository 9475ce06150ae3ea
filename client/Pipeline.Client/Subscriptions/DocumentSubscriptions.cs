using Pipeline.Client.Transport;

namespace Pipeline.Client.Subscriptions;

/// <summary>The subscriptions of a store, by its conventions.</summary>
internal sealed class DocumentSubscriptions(ClientContext store) : IDocumentSubscriptions
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

    public Task PauseAsync(string name, CancellationToken cancellationToken) =>
        SetPausedAsync(name, isPaused: true, cancellationToken);

    public Task ResumeAsync(string name, CancellationToken cancellationToken) =>
        SetPausedAsync(name, isPaused: false, cancellationToken);

    public async Task<SubscriptionState> GetStateAsync(string name, CancellationToken cancellationToken)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        return (await store.Transport.SubscriptionStatesAsync(name, cancellationToken).ConfigureAwait(false))[0];
    }

    public Task<IReadOnlyList<SubscriptionState>> ListAsync(CancellationToken cancellationToken) =>
        store.Transport.SubscriptionStatesAsync(null, cancellationToken);

    private Task SetPausedAsync(string name, bool isPaused, CancellationToken cancellationToken)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        return store.Transport.SetPausedAsync(name, isPaused, cancellationToken);
    }

    private async Task DefineAsync<T>(
        string name,
        SubscriptionOptions? options,
        bool isNew,
        CancellationToken cancellationToken
    )
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        var model = store.ModelOf(typeof(T));
        options ??= new SubscriptionOptions();
        if (options is { Where: { } where, Translate: { } translate })
        {
            options = options with
            {
                Query = Translated<T>(name, options, () => translate(where, model, store.Options, options.Revisions)),
            };
        }

        await store
            .Transport.DefineSubscriptionAsync(
                new SubscriptionTerms(name, model.Collection, options),
                isNew,
                cancellationToken
            )
            .ConfigureAwait(false);
    }

    private static string Translated<T>(string name, SubscriptionOptions options, Func<string> translate)
    {
        if (options.Query is not null || options.Filter is not null)
        {
            throw new SubscriptionException(
                name,
                SubscriptionProblem.Invalid,
                $"the subscription '{name}' has Where and {(options.Query is null ? "Filter" : "Query")}; give one of them"
            );
        }

        return options.Where!.Parameters is [var document] && document.Type.IsAssignableFrom(typeof(T))
            ? translate()
            : throw new SubscriptionException(
                name,
                SubscriptionProblem.Invalid,
                $"Where of the subscription '{name}' tests a {options.Where.Parameters.FirstOrDefault()?.Type.Name ?? "constant"}, and its documents are of class {typeof(T).Name}"
            );
    }
}
