using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Pipeline.Client;
using Pipeline.Client.Sessions;

namespace Pipeline.Hosting.Subscriptions;

/// <summary>Runs a handler of a subscription with the host.</summary>
internal abstract class HostedSubscription : BackgroundService
{
    /// <summary>Nothing is connected yet.</summary>
    protected HostedSubscription(IServiceProvider services, string name, HostedSubscriptionOptions options)
    {
        (Services, Name, Options) = (services, name, options);
        Logger = services.GetRequiredService<ILoggerFactory>().CreateLogger(HostingLog.Category);
    }

    /// <summary>The subscription.</summary>
    public string Name { get; }

    /// <summary>Why it is not connected at the moment; null if it is, or waits for its place.</summary>
    public SubscriptionException? Trouble { get; private set; }

    /// <summary>The application's services.</summary>
    protected IServiceProvider Services { get; }

    /// <summary>The options.</summary>
    protected HostedSubscriptionOptions Options { get; }

    /// <summary>The log.</summary>
    protected ILogger Logger { get; }

    /// <inheritdoc/>
    public override async Task StartAsync(CancellationToken cancellationToken)
    {
        if (Options.Probe is { } probe)
        {
            var scope = Services.CreateAsyncScope();
            await using var _ = scope.ConfigureAwait(false);
            probe(scope.ServiceProvider);
        }
        await base.StartAsync(cancellationToken).ConfigureAwait(false);
    }

    /// <inheritdoc/>
    protected override async Task ExecuteAsync(CancellationToken stoppingToken)
    {
        var store = Options.Key is null
            ? Services.GetRequiredService<IDocumentStore>()
            : Services.GetRequiredKeyedService<IDocumentStore>(Options.Key);
        var worker = Options.Worker;
        if (worker.Time == TimeProvider.System && Services.GetService<TimeProvider>() is { } time)
            worker = worker with { Time = time };
        try
        {
            if (Options.Definition is { } definition)
                await DefineAsync(store, definition, worker, stoppingToken).ConfigureAwait(false);
            await RunAsync(
                    store,
                    worker with
                    {
                        Connected = OnConnected + worker.Connected,
                        Interrupted = OnInterrupted + worker.Interrupted,
                    },
                    stoppingToken
                )
                .ConfigureAwait(false);
        }
        catch (SubscriptionException e)
        {
            HostingLog.SubscriptionEnded(Logger, Name, e);
            throw;
        }
    }

    /// <summary>Stores the definition.</summary>
    protected abstract Task EnsureAsync(
        IDocumentStore store,
        SubscriptionOptions definition,
        CancellationToken cancellationToken
    );

    /// <summary>Hands documents to the handler until the host stops.</summary>
    protected abstract Task RunAsync(
        IDocumentStore store,
        SubscribeOptions worker,
        CancellationToken cancellationToken
    );

    /// <summary>Logs that a handler threw.</summary>
    protected void Failed(string id, int attempt, bool isLast, Exception e)
    {
        if (isLast)
            HostingLog.DocumentParked(Logger, Name, id, attempt, e);
        else
            HostingLog.DocumentRejected(Logger, Name, id, attempt, e);
    }

    /// <summary>The session of a scope, if it is one of Pipeline's.</summary>
    protected DocumentSession? SessionOf(IServiceProvider scope) =>
        (
            Options.Key is null
                ? scope.GetService<IDocumentSession>()
                : scope.GetKeyedService<IDocumentSession>(Options.Key)
        ) as DocumentSession;

    private async Task DefineAsync(
        IDocumentStore store,
        SubscriptionOptions definition,
        SubscribeOptions worker,
        CancellationToken cancellationToken
    )
    {
        var wait = worker.ReconnectDelay;
        for (var attempt = 1; ; attempt++)
        {
            try
            {
                await EnsureAsync(store, definition, cancellationToken).ConfigureAwait(false);
                return;
            }
            catch (SubscriptionException e) when (e.Problem == SubscriptionProblem.Unreachable)
            {
                OnInterrupted(new SubscriptionInterruption(e, attempt, wait));
            }

            await Task.Delay(wait, worker.Time, cancellationToken).ConfigureAwait(false);
            wait = wait * 2 < worker.MaxReconnectDelay ? wait * 2 : worker.MaxReconnectDelay;
        }
    }

    private void OnConnected()
    {
        Trouble = null;
        HostingLog.SubscriptionConnected(Logger, Name);
    }

    private void OnInterrupted(SubscriptionInterruption interruption)
    {
        Trouble = interruption.Error;
        HostingLog.SubscriptionInterrupted(
            Logger,
            Name,
            interruption.Error.Message,
            interruption.Attempt,
            interruption.Wait
        );
    }
}

/// <summary>Runs a handler for each document.</summary>
internal sealed class HostedItems<T>(
    IServiceProvider services,
    string name,
    HostedSubscriptionOptions options,
    Func<SubscriptionItem<T>, IServiceProvider, CancellationToken, Task> handler
) : HostedSubscription(services, name, options)
    where T : class
{
    /// <inheritdoc/>
    protected override Task EnsureAsync(
        IDocumentStore store,
        SubscriptionOptions definition,
        CancellationToken cancellationToken
    ) => store.Subscriptions.EnsureAsync<T>(Name, definition, cancellationToken);

    /// <inheritdoc/>
    protected override Task RunAsync(
        IDocumentStore store,
        SubscribeOptions worker,
        CancellationToken cancellationToken
    ) =>
        store
            .Subscribe<T>(Name, worker)
            .RunItemsAsync(
                async (item, ct) =>
                {
                    try
                    {
                        var scope = Services.CreateAsyncScope();
                        await using var _ = scope.ConfigureAwait(false);
                        if (!item.IsDeleted && SessionOf(scope.ServiceProvider) is { } session)
                            item.Track(session);
                        await handler(item, scope.ServiceProvider, ct).ConfigureAwait(false);
                    }
                    catch (Exception e) when (e is not OperationCanceledException || !ct.IsCancellationRequested)
                    {
                        Failed(item.Id, item.Attempts + 1, item.IsLastAttempt, e);
                        throw;
                    }
                },
                cancellationToken
            );
}

/// <summary>Runs a handler for each batch.</summary>
internal sealed class HostedBatches<T>(
    IServiceProvider services,
    string name,
    HostedSubscriptionOptions options,
    Func<SubscriptionBatch<T>, IServiceProvider, CancellationToken, Task> handler
) : HostedSubscription(services, name, options)
    where T : class
{
    /// <inheritdoc/>
    protected override Task EnsureAsync(
        IDocumentStore store,
        SubscriptionOptions definition,
        CancellationToken cancellationToken
    ) => store.Subscriptions.EnsureAsync<T>(Name, definition, cancellationToken);

    /// <inheritdoc/>
    protected override Task RunAsync(
        IDocumentStore store,
        SubscribeOptions worker,
        CancellationToken cancellationToken
    ) =>
        store
            .Subscribe<T>(Name, worker)
            .RunBatchesAsync(
                async (batch, ct) =>
                {
                    try
                    {
                        var scope = Services.CreateAsyncScope();
                        await using var _ = scope.ConfigureAwait(false);
                        if (SessionOf(scope.ServiceProvider) is { } session)
                            batch.Track(session);
                        await handler(batch, scope.ServiceProvider, ct).ConfigureAwait(false);
                    }
                    catch (Exception e) when (e is not OperationCanceledException || !ct.IsCancellationRequested)
                    {
                        Failed(
                            batch.Count == 1 ? batch[0].Id : $"{batch[0].Id} to {batch[^1].Id}",
                            batch[0].Attempts + 1,
                            batch[0].IsLastAttempt,
                            e
                        );
                        throw;
                    }
                },
                cancellationToken
            );
}
