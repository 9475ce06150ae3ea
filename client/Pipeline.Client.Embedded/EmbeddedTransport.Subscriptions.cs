using Pipeline.Client.Transport;
using Pipeline.Subscriptions;

namespace Pipeline.Client;

/// <content>Subscriptions.</content>
internal sealed partial class EmbeddedTransport
{
    public Task DefineSubscriptionAsync(SubscriptionTerms definition, bool isNew, CancellationToken cancellationToken) => EmbeddedSubscription.TranslateAsync(definition.Name, async () =>
    {
        var options = definition.Options;
        var engine = new SubscriptionDefinition
        {
            Name = definition.Name,
            Query = options.Query,
            Collections = options.Query is null ? [definition.Collection] : null,
            Filter = options.Filter,
            Projection = options.Projection,
            Deletes = options.Deletes,
            Revisions = options.Revisions,
            MaxAttempts = options.MaxAttempts,
            RetryDelay = options.RetryDelay,
            MaxRetryDelay = options.MaxRetryDelay,
            HoldParkedKeys = options.HoldParkedKeys,
            MaxLag = options.MaxLag is { } lag ? new LagPolicy { Age = lag.Age, Changes = lag.Changes, Bytes = lag.Bytes, Then = Enum.Parse<LagAction>(lag.Then.ToString()) } : null,
        };
        var start = options.SkipsExisting ? SubscriptionStart.End : SubscriptionStart.Beginning;
        if (isNew)
            await subscriptions.Value.CreateAsync(engine, start, cancellationToken).ConfigureAwait(false);
        else
            await subscriptions.Value.EnsureAsync(engine, start, cancellationToken).ConfigureAwait(false);
        return true;
    });

    public Task DeleteSubscriptionAsync(string name, CancellationToken cancellationToken) =>
        EmbeddedSubscription.TranslateAsync(name, () => subscriptions.Value.DeleteAsync(name, cancellationToken));

    public Task<ISubscriptionConnection> ConnectAsync(string subscription, SubscribeOptions options, CancellationToken cancellationToken) =>
        EmbeddedSubscription.OpenAsync(database, subscriptions, subscription, options, cancellationToken);

    public async ValueTask DisposeAsync()
    {
        if (!isOwner)
            return;
        if (subscriptions.IsValueCreated)
            await subscriptions.Value.DisposeAsync().ConfigureAwait(false);
        await database.DisposeAsync().ConfigureAwait(false);
    }
}
