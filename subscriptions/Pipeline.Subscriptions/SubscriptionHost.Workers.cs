namespace Pipeline.Subscriptions;

/// <content>Workers.</content>
public sealed partial class SubscriptionHost
{
    /// <summary>Connects a worker.</summary>
    /// <param name="name">The subscription.</param>
    /// <param name="options">The worker's options; null for the defaults.</param>
    /// <param name="ct">Stops waiting for a place.</param>
    /// <exception cref="SubscriptionException">
    /// There is no such subscription, it is paused, or another worker has it.
    /// </exception>
    public async Task<SubscriptionWorker> ConnectAsync(
        string name,
        SubscriptionWorkerOptions? options = null,
        CancellationToken ct = default
    )
    {
        if (_options.OnlyLooks)
            throw OnlyLooks();
        options ??= new SubscriptionWorkerOptions();
        options.Check(name);
        Subscription subscription;
        lock (_gate)
        {
            ObjectDisposedException.ThrowIf(_isDisposed, this);
            subscription = Find(name);
        }

        return new SubscriptionWorker(
            subscription,
            await subscription.JoinAsync(options, ct).ConfigureAwait(false),
            options
        );
    }

    /// <summary>
    /// Drops workers with <see cref="SubscriptionProblem.Dropped"/>; their batches wait for the next worker.
    /// </summary>
    /// <param name="name">The subscription.</param>
    /// <param name="worker">The worker's name; all are dropped if none has it or it is null.</param>
    /// <exception cref="SubscriptionException">There is no such subscription.</exception>
    public void Drop(string name, string? worker = null)
    {
        if (_options.OnlyLooks)
            throw OnlyLooks();
        Subscription subscription;
        lock (_gate)
            subscription = Find(name);
        subscription.Drop(worker);
    }
}
