using Pipeline.Client.Transport;
using Pipeline.Subscriptions;

namespace Pipeline.Client;

/// <content>Subscriptions.</content>
internal sealed partial class EmbeddedTransport
{
    public Task DefineSubscriptionAsync(
        SubscriptionTerms definition,
        bool isNew,
        CancellationToken cancellationToken
    ) =>
        EmbeddedSubscription.TranslateAsync(
            definition.Name,
            async () =>
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
                    MaxLag = options.MaxLag is { } lag
                        ? new LagPolicy
                        {
                            Age = lag.Age,
                            Changes = lag.Changes,
                            Bytes = lag.Bytes,
                            Then = Enum.Parse<LagAction>(lag.Then.ToString()),
                        }
                        : null,
                };
                var start = options.SkipsExisting ? SubscriptionStart.End : SubscriptionStart.Beginning;
                if (isNew)
                    await subscriptions.Value.CreateAsync(engine, start, cancellationToken).ConfigureAwait(false);
                else
                    await subscriptions.Value.EnsureAsync(engine, start, cancellationToken).ConfigureAwait(false);
                return true;
            }
        );

    public Task DeleteSubscriptionAsync(string name, CancellationToken cancellationToken) =>
        EmbeddedSubscription.TranslateAsync(name, () => subscriptions.Value.DeleteAsync(name, cancellationToken));

    public async Task SetPausedAsync(string name, bool isPaused, CancellationToken cancellationToken) =>
        await EmbeddedSubscription
            .TranslateAsync(
                name,
                async () =>
                {
                    await (
                        isPaused
                            ? subscriptions.Value.PauseAsync(name, cancellationToken)
                            : subscriptions.Value.ResumeAsync(name, cancellationToken)
                    ).ConfigureAwait(false);
                    return true;
                }
            )
            .ConfigureAwait(false);

    public Task<IReadOnlyList<SubscriptionState>> SubscriptionStatesAsync(
        string? name,
        CancellationToken cancellationToken
    )
    {
        cancellationToken.ThrowIfCancellationRequested();
        return EmbeddedSubscription.TranslateAsync(
            name ?? "",
            () =>
                Task.FromResult<IReadOnlyList<SubscriptionState>>([
                    .. subscriptions.Value.GetStatus(name).Select(State),
                ])
        );
    }

    public Task<ISubscriptionConnection> ConnectAsync(
        string subscription,
        SubscribeOptions options,
        CancellationToken cancellationToken
    ) => EmbeddedSubscription.OpenAsync(database, subscriptions, subscription, options, cancellationToken);

    private static SubscriptionState State(SubscriptionStatus status) =>
        new()
        {
            Name = status.Name,
            Query = status.Definition.Query,
            Filter = status.Definition.Filter,
            IsPaused = status.Definition.IsPaused,
            Backlog = status.Consumer?.Pending.Changes ?? status.Lag,
            BacklogAge = TimeSpan.FromSeconds(status.Consumer?.AgeSeconds ?? status.LagSeconds),
            InFlight = status.InFlight,
            Retrying = status.Retrying,
            Parked = status.Parked,
            Acknowledged = status.Acknowledged,
            LastAcknowledged = status.LastAcknowledged,
            Workers = [.. status.Workers.Select(w => w.Name)],
            LastError = status.Error ?? status.LastError,
        };

    public async ValueTask DisposeAsync()
    {
        if (!isOwner)
            return;
        if (subscriptions.IsValueCreated)
            await subscriptions.Value.DisposeAsync().ConfigureAwait(false);
        await database.DisposeAsync().ConfigureAwait(false);
    }
}
