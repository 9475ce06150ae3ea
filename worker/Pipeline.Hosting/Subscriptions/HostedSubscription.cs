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

/// <summary>Runs a handler that takes documents of one type.</summary>
internal abstract class HostedSubscription<T>(IServiceProvider services, string name, HostedSubscriptionOptions options)
    : HostedSubscription(services, name, options)
    where T : class
{
    /// <inheritdoc/>
    protected override Task EnsureAsync(
        IDocumentStore store,
        SubscriptionOptions definition,
        CancellationToken cancellationToken
    ) => store.Subscriptions.EnsureAsync<T>(Name, definition, cancellationToken);

    /// <summary>Runs the handler in a new scope, and logs its error.</summary>
    /// <param name="track">Lets the scope's session track what the handler takes.</param>
    /// <param name="handle">The handler.</param>
    /// <param name="first">The first item that it takes.</param>
    /// <param name="lastId">The id of the last item.</param>
    /// <param name="ct">Cancelled when the host stops or the subscription is lost.</param>
    protected async Task HandleAsync(
        Action<DocumentSession> track,
        Func<IServiceProvider, Task> handle,
        SubscriptionItem<T> first,
        string lastId,
        CancellationToken ct
    )
    {
        try
        {
            var scope = Services.CreateAsyncScope();
            await using var _ = scope.ConfigureAwait(false);
            if (SessionOf(scope.ServiceProvider) is { } session)
                track(session);
            await handle(scope.ServiceProvider).ConfigureAwait(false);
        }
        catch (Exception e) when (e is not OperationCanceledException || !ct.IsCancellationRequested)
        {
            var ids = lastId == first.Id ? lastId : $"{first.Id} to {lastId}";
            Failed(ids, first.Attempts + 1, first.IsLastAttempt, e);
            throw;
        }
    }
}

/// <summary>Runs a handler for each document.</summary>
internal sealed class HostedItems<T>(
    IServiceProvider services,
    string name,
    HostedSubscriptionOptions options,
    Func<SubscriptionItem<T>, IServiceProvider, CancellationToken, Task> handler
) : HostedSubscription<T>(services, name, options)
    where T : class
{
    /// <inheritdoc/>
    protected override Task RunAsync(
        IDocumentStore store,
        SubscribeOptions worker,
        CancellationToken cancellationToken
    ) =>
        store
            .Subscribe<T>(Name, worker)
            .RunItemsAsync(
                (item, ct) =>
                    HandleAsync(
                        session =>
                        {
                            if (!item.IsDeleted)
                                item.Track(session);
                        },
                        scope => handler(item, scope, ct),
                        item,
                        item.Id,
                        ct
                    ),
                cancellationToken
            );
}

/// <summary>Runs a handler for each batch.</summary>
internal sealed class HostedBatches<T>(
    IServiceProvider services,
    string name,
    HostedSubscriptionOptions options,
    Func<SubscriptionBatch<T>, IServiceProvider, CancellationToken, Task> handler
) : HostedSubscription<T>(services, name, options)
    where T : class
{
    /// <inheritdoc/>
    protected override Task RunAsync(
        IDocumentStore store,
        SubscribeOptions worker,
        CancellationToken cancellationToken
    ) =>
        store
            .Subscribe<T>(Name, worker)
            .RunBatchesAsync(
                (batch, ct) => HandleAsync(batch.Track, scope => handler(batch, scope, ct), batch[0], batch[^1].Id, ct),
                cancellationToken
            );
}
