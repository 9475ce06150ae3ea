using System.Collections.Concurrent;
using Pipeline.Database;

namespace Pipeline.Subscriptions;

/// <summary>
/// A subscription at work: reads the feed ahead of its workers, gives them batches, and keeps its position with their acknowledgements. Thread-safe: one lock
/// guards window and leases, and is never held over I/O; commits follow one another.
/// </summary>
internal sealed partial class Subscription : IAsyncDisposable
{
    private readonly DocumentDatabase _database;
    private readonly string _databaseId;
    private readonly string _checkpointKey;
    private readonly TimeProvider _time;
    private readonly Lock _gate = new();
    private readonly SemaphoreSlim _commit = new(1);
    private readonly CancellationTokenSource _stop = new();
    private readonly LeaseTable _leases = new();
    private readonly DeliveryWindow _window = new(MaxItems, MaxBytes);
    private readonly HashSet<string> _held;
    private readonly ITimer _timer;
    private readonly SubscriptionDefinition _definition;
    private readonly SubscriptionFilter _filter;
    private readonly ConcurrentBag<SharedChanges> _spare = [];
    private readonly Action<SharedChanges> _takeBack;
    private readonly SubscriptionEvents _events;
    private readonly RateMeter _rate;
    private Task _reading = Task.CompletedTask;
    private TaskCompletionSource _freed = NewSignal();
    private SubscriptionException? _ended;

    /// <summary>Nothing is committed any more: another may have the position.</summary>
    private bool _isOver;

    /// <summary>Changes read ahead of the position, at most.</summary>
    private const int MaxItems = 16_384;

    /// <summary>Bytes read ahead; one change more may be.</summary>
    private const long MaxBytes = 32 << 20;

    public Subscription(DocumentDatabase database, SubscriptionDefinition definition, SubscriptionCheckpoint checkpoint, TimeProvider time, SubscriptionEvents events)
    {
        (_database, _databaseId, _definition, _time, _events) = (database, database.Id.ToString(), definition, time, events);
        _checkpointKey = CheckpointKey(definition.Name);
        _takeBack = _spare.Add;
        _resync = checkpoint.Resync;
        _rate = new RateMeter(time, 60);
        _filter = SubscriptionFilter.Compile(definition, _stop.Token);
        _held = new HashSet<string>(checkpoint.Held, StringComparer.Ordinal);
        _window.Reset(checkpoint.Position, checkpoint.Ahead, checkpoint.Again);
        PersistedPosition = checkpoint.Position;
        _timer = time.CreateTimer(_ => OnTimer(), null, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
    }

    public string Name => _definition.Name;

    public SubscriptionDefinition Definition => _definition;

    /// <summary>Which changes are read.</summary>
    public CursorFilter Reads => _filter.Reads;

    /// <summary>The position that the database has.</summary>
    public long PersistedPosition { get; private set; }

    /// <summary>The state key of a subscription's position.</summary>
    public static string CheckpointKey(string name) => "subscriptions/position/" + name.ToLowerInvariant();

    /// <summary>Begins to read, unless it is paused.</summary>
    public void Start()
    {
        lock (_gate)
        {
            if (!_definition.IsPaused && _ended is null) _reading = Task.Run(ReadAsync);
        }
    }

    /// <summary>Drops all workers and stops; what is in hand counts no more.</summary>
    public async Task EndAsync(SubscriptionException reason)
    {
        lock (_gate)
        {
            _ended ??= reason;
            foreach (WorkerLease lease in _leases.Workers.ToArray()) End(lease, reason);
        }

        await _stop.CancelAsync().ConfigureAwait(false);
        await _reading.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        await _commit.WaitAsync().ConfigureAwait(false);
        lock (_gate) _isOver = true;
        _commit.Release();
    }

    public async ValueTask DisposeAsync()
    {
        await EndAsync(new SubscriptionException(Name, SubscriptionProblem.Closed, $"The subscription '{Name}' ended: the database is closing.")).ConfigureAwait(false);
        await _timer.DisposeAsync().ConfigureAwait(false);
        lock (_gate) _window.Reset(0, [], []);
        _stop.Dispose();
        _commit.Dispose();
    }

    private static TaskCompletionSource NewSignal() => new(TaskCreationOptions.RunContinuationsAsynchronously);

    private long Now => _time.GetUtcNow().UtcTicks;
}
