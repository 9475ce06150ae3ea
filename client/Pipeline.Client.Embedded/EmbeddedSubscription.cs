using System.Buffers;
using Pipeline.Client.Transport;
using Pipeline.Database;
using Pipeline.Documents;
using Pipeline.Subscriptions;
using Engine = Pipeline.Subscriptions;

namespace Pipeline.Client;

/// <summary>A worker of a subscription of a database in this process.</summary>
internal sealed class EmbeddedSubscription : ISubscriptionConnection
{
    // A worker in this process reports by being connected.
    private static readonly TimeSpan Unlimited = TimeSpan.FromDays(10_000);
    private readonly DocumentDatabase _database;
    private readonly SubscriptionWorker _worker;
    private readonly bool _endsWhenEmpty;
    private readonly CancellationTokenSource _ended = new();
    private readonly Task _watching;
    private Engine.SubscriptionBatch? _batch;

    private EmbeddedSubscription(
        DocumentDatabase database,
        SubscriptionWorker worker,
        bool endsWhenEmpty,
        int maxAttempts
    )
    {
        (_database, _worker, _endsWhenEmpty, MaxAttempts) = (database, worker, endsWhenEmpty, maxAttempts);
        Ended = _ended.Token;
        _watching = WatchAsync();
    }

    public int MaxAttempts { get; }

    public CancellationToken Ended { get; }

    /// <summary>Connects a worker.</summary>
    public static async Task<ISubscriptionConnection> OpenAsync(
        DocumentDatabase database,
        Lazy<SubscriptionHost> host,
        string name,
        SubscribeOptions options,
        CancellationToken cancellationToken
    )
    {
        var worker = await TranslateAsync(
                name,
                () =>
                    host.Value.ConnectAsync(
                        name,
                        new SubscriptionWorkerOptions
                        {
                            Name = options.WorkerName,
                            Strategy = Enum.Parse<WorkerStrategy>(options.Strategy.ToString()),
                            MaxBatchCount = options.MaxBatchCount,
                            MaxBatchBytes = options.MaxBatchBytes,
                            Lease = options.MaxBatchTime ?? Unlimited,
                        },
                        cancellationToken
                    )
            )
            .ConfigureAwait(false);
        try
        {
            return new EmbeddedSubscription(
                database,
                worker,
                options.EndsWhenEmpty,
                Translate(name, () => host.Value.GetStatus(name)[0].Definition.MaxAttempts)
            );
        }
        catch
        {
            await worker.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    public async ValueTask<DeliveredBatch?> NextAsync(CancellationToken cancellationToken)
    {
        _batch = await TranslateAsync(
                _worker.Subscription,
                () => _worker.NextAsync(_endsWhenEmpty, cancellationToken).AsTask()
            )
            .ConfigureAwait(false);
        return _batch is null ? null : Read(_batch);
    }

    public async Task AcknowledgeAsync(IReadOnlyList<Unsettled> except, CancellationToken cancellationToken)
    {
        var batch = _batch!;
        foreach (var (index, reason) in except)
        {
            if (reason is null)
                batch.Release(batch[index]);
            else
                batch.Reject(batch[index], reason);
        }

        await TranslateAsync(
                _worker.Subscription,
                async () =>
                {
                    await batch.AcknowledgeAsync(null, cancellationToken).ConfigureAwait(false);
                    return true;
                }
            )
            .ConfigureAwait(false);
    }

    public async ValueTask DisposeAsync()
    {
        await _worker.DisposeAsync().ConfigureAwait(false);
        await _watching.ConfigureAwait(false);
        _ended.Dispose();
    }

    /// <summary>Does something with a subscription and translates its errors.</summary>
    public static async Task<T> TranslateAsync<T>(string name, Func<Task<T>> call)
    {
        try
        {
            return await call().ConfigureAwait(false);
        }
        catch (Engine.SubscriptionException e)
        {
            throw Translate(e);
        }
        catch (ObjectDisposedException e)
        {
            throw new SubscriptionException(
                name,
                SubscriptionProblem.Closed,
                $"the database of the subscription '{name}' is closed",
                e
            );
        }
    }

    private static T Translate<T>(string name, Func<T> call)
    {
        try
        {
            return call();
        }
        catch (Engine.SubscriptionException e)
        {
            throw Translate(e);
        }
        catch (ObjectDisposedException e)
        {
            throw new SubscriptionException(
                name,
                SubscriptionProblem.Closed,
                $"the database of the subscription '{name}' is closed",
                e
            );
        }
    }

    private static SubscriptionException Translate(Engine.SubscriptionException e) =>
        new(
            e.Subscription,
            Enum.TryParse<SubscriptionProblem>(e.Problem.ToString(), out var problem)
                ? problem
                : SubscriptionProblem.Failed,
            e.Message,
            e
        );

    private DeliveredBatch Read(Engine.SubscriptionBatch batch)
    {
        var text = new ArrayBufferWriter<byte>();
        var items = new DeliveredItem[batch.Count];
        using (var snapshot = _database.OpenSnapshot("subscription batch"))
        {
            // The text may move while it grows, so each part is cut out of it at the end.
            var ends = new int[batch.Count];
            for (var i = 0; i < items.Length; i++)
            {
                if (batch[i] is { Kind: ChangeKind.Put, Projected.IsEmpty: true } item)
                    snapshot.WriteJson(item.ToChange(), text);
                ends[i] = text.WrittenCount;
            }

            for (var i = 0; i < items.Length; i++)
            {
                var item = batch[i];
                items[i] = new DeliveredItem(
                    item.Id,
                    item.Collection,
                    ChangeVector.Format(item.Position, _database.Id),
                    item.LastModified
                )
                {
                    Json = item.Projected.IsEmpty
                        ? text.WrittenMemory[(i == 0 ? 0 : ends[i - 1])..ends[i]]
                        : item.Projected.ToArray(),
                    Previous = item.Previous is { } previous ? EmbeddedTransport.Data(previous).Json : default,
                    PreviousIsKnown = item.PreviousIsKnown,
                    IsDeleted = item.Kind != ChangeKind.Put,
                    IsProjection = !item.Projected.IsEmpty,
                    Attempts = item.Attempts,
                };
            }
        }

        return new DeliveredBatch(
            items,
            [.. batch.Includes.Values.OfType<Document>().Select(EmbeddedTransport.Data)],
            batch.Resync is { } phase ? Enum.Parse<SubscriptionResync>(phase.ToString()) : null
        );
    }

    private async Task WatchAsync()
    {
        await _worker.Ended.ConfigureAwait(false);
        await _ended.CancelAsync().ConfigureAwait(false);
    }
}
