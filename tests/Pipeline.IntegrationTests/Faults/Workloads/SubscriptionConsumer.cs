using System.Collections.Concurrent;
using Pipeline.Client;
using Pipeline.IntegrationTests.Faults.Checkers;

namespace Pipeline.IntegrationTests.Faults.Workloads;

/// <summary>
/// Consumes a subscription through the .NET client. It reconnects as the client does, moves to another node now and then,
/// and leaves some batches without an acknowledgement.
/// </summary>
internal sealed class SubscriptionConsumer : IAsyncDisposable
{
    private const int LeftOf = 25;
    private const int MovesOf = 40;
    private const int MaxPause = 30;
    private const int MaxBatch = 8;
    private const int MaxTries = 10;
    private static readonly TimeSpan MaxAnswer = TimeSpan.FromSeconds(6);
    private static readonly TimeSpan MaxReconnect = TimeSpan.FromSeconds(8);
    private readonly HttpClient _http = new(new SocketsHttpHandler { ConnectTimeout = MaxAnswer, UseProxy = false })
    {
        Timeout = MaxAnswer,
    };
    private readonly IDocumentStore[] _stores;
    private readonly Random _random;
    private readonly string _collection;
    private readonly FaultPlant _plant;
    private readonly ConcurrentQueue<DeliveredBatch> _batches = new();
    private int _connection;

    /// <summary>Makes a consumer that does nothing yet.</summary>
    /// <param name="collection">The documents that it gets.</param>
    /// <param name="nodes">Where clients reach each node.</param>
    /// <param name="seed">Where its random numbers begin.</param>
    /// <param name="plant">What it does wrong.</param>
    public SubscriptionConsumer(string collection, IReadOnlyList<Uri> nodes, int seed, FaultPlant plant)
    {
        (_collection, _random, _plant) = (collection, new Random(seed), plant);
        _stores = [.. nodes.Select(n => DocumentStore.Connect(n.AbsoluteUri, "shop", client: _http))];
    }

    /// <summary>The subscription.</summary>
    public string Name => $"watch-{_collection.ToLowerInvariant()}";

    /// <summary>What it received, in that order.</summary>
    public IReadOnlyCollection<DeliveredBatch> Batches => _batches;

    /// <summary>How often it was connected.</summary>
    public int Connections => _connection;

    /// <summary>Makes the subscription. On a busy machine the leader may change before there are faults.</summary>
    public async Task PrepareAsync(int leader)
    {
        for (var tries = 1; ; tries++)
        {
            try
            {
                await _stores[leader].Subscriptions.EnsureAsync<Watched>(Name, new() { Query = $"from {_collection}" });
                return;
            }
            catch (SubscriptionException e) when (e.CanReconnect && tries < MaxTries)
            {
                await Task.Delay(MaxPause);
            }
        }
    }

    /// <summary>Consumes until this is cancelled.</summary>
    public async Task RunAsync(CancellationToken ct)
    {
        while (!ct.IsCancellationRequested)
        {
            await ConsumeAsync(_random.Next(_stores.Length), isLast: false, ct);
            await Task.Delay(_random.Next(MaxPause), CancellationToken.None);
        }
    }

    /// <summary>Consumes all that is left.</summary>
    /// <returns>Null, or why it could not.</returns>
    public async Task<string?> DrainAsync(TimeSpan most)
    {
        using var late = new CancellationTokenSource(most);
        var told = "it did not end";
        for (var node = 0; !late.IsCancellationRequested; node = (node + 1) % _stores.Length)
        {
            told = await ConsumeAsync(node, isLast: true, late.Token);
            if (told is null)
                return null;
        }
        return told;
    }

    public async ValueTask DisposeAsync()
    {
        foreach (var store in _stores)
            await store.DisposeAsync();
        _http.Dispose();
    }

    private async Task<string?> ConsumeAsync(int node, bool isLast, CancellationToken ct)
    {
        var options = new SubscribeOptions
        {
            Strategy = SubscriberStrategy.TakeOver,
            MaxBatchCount = 1 + _random.Next(MaxBatch),
            EndsWhenEmpty = isLast,
            ReconnectDelay = TimeSpan.FromMilliseconds(100),
            MaxReconnectDelay = TimeSpan.FromSeconds(1),
            MaxReconnectTime = MaxReconnect,
            Connected = () => _connection++,
        };
        try
        {
            await foreach (var batch in _stores[node].Subscribe<Watched>(Name, options).WithCancellation(ct))
            {
                var delivered = new DeliveredBatch(_connection, $"n{node + 1}", [.. batch.Select(Describe)]);
                _batches.Enqueue(delivered);
                if (!isLast && _random.Next(LeftOf) == 0)
                {
                    if (_plant == FaultPlant.AcknowledgementLost)
                        delivered.Acknowledgement = CallOutcome.Done;
                    break;
                }
                await AcknowledgeAsync(batch, delivered, ct);
                if (!isLast && _random.Next(MovesOf) == 0)
                    break;
            }
            return null;
        }
        catch (Exception e) when (e is SubscriptionException or OperationCanceledException)
        {
            return e.Message;
        }
    }

    private static async Task AcknowledgeAsync(
        SubscriptionBatch<Watched> batch,
        DeliveredBatch delivered,
        CancellationToken ct
    )
    {
        delivered.Acknowledgement = CallOutcome.Unknown;
        try
        {
            await batch.AcknowledgeAsync(ct);
            delivered.Acknowledgement = CallOutcome.Done;
        }
        catch (SubscriptionException)
        {
            return; // the client reconnects when it is asked for the next batch
        }
    }

    private static DeliveredChange Describe(SubscriptionItem<Watched> item) =>
        new(item.Id, item.Document.Items ?? [item.Document.Value]);

    /// <summary>A register or a list.</summary>
    internal sealed class Watched
    {
        public string? Id { get; set; }

        public long Value { get; set; }

        public IReadOnlyList<long>? Items { get; set; }
    }
}
