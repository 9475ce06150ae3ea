using System.Collections.Concurrent;
using Pipeline.Database;
using Pipeline.Documents;

namespace Pipeline.Subscriptions;

/// <summary>
/// A running subscription: it reads the feed ahead of its workers, gives them batches, and stores its position with
/// their acknowledgements. Thread-safe. One lock guards window and leases and is never held during I/O; commits run one
/// after another.
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
    private readonly DeliveryWindow _window = new(MaxItems, ReadAheadShare.MaxBytes);
    private readonly ReadAheadShare _share;
    private readonly HashSet<string> _held;
    private readonly ITimer _timer;
    private readonly SubscriptionDefinition _definition;
    private readonly SubscriptionFilter _filter;
    private readonly ConcurrentBag<SharedChanges> _spare = [];
    private readonly Action<SharedChanges> _takeBack;
    private readonly SubscriptionEvents _events;
    private readonly RateMeter _rate;
    private Task _reading = Task.CompletedTask;
    private int _batches;
    private bool _isShared;
    private TaskCompletionSource _freed = NewSignal();
    private SubscriptionException? _ended;
    private readonly RunMarker _marker;

    /// <summary>Whether commits are forbidden, because another instance may own the position.</summary>
    private bool _isOver;

    /// <summary>The most changes read ahead of the position.</summary>
    private const int MaxItems = 16_384;

    public Subscription(
        DocumentDatabase database,
        SubscriptionDefinition definition,
        SubscriptionCheckpoint checkpoint,
        TimeProvider time,
        SubscriptionEvents events,
        ReadAheadShare share
    )
    {
        (_database, _databaseId, _definition, _time, _events, _share) = (
            database,
            database.Id.ToString(),
            definition,
            time,
            events,
            share
        );
        _checkpointKey = CheckpointKey(definition.Name);
        _takeBack = memory =>
        {
            Interlocked.Decrement(ref _batches);
            _spare.Add(memory);
        };
        _resync = checkpoint.Resync;
        _rate = new RateMeter(time, 60);
        _filter = SubscriptionFilter.Compile(definition, _stop.Token);
        _held = new HashSet<string>(checkpoint.Held, StringComparer.Ordinal);
        _window.Reset(checkpoint.Position, checkpoint.Ahead, checkpoint.Again);
        PersistedPosition = checkpoint.Position;
        _marker = database.OpenRunMarker("subscription " + definition.Name);
        if (_marker.IsBlocked)
        {
            _ended = new SubscriptionException(
                Name,
                SubscriptionProblem.Failed,
                $"The subscription '{Name}' is stopped: the process ended {_marker.Ends} times in a row while its filter ran. Change the filter, or resume the subscription to try again."
            );
        }

        _timer = time.CreateTimer(_ => OnTimer(), null, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
    }

    public string Name => _definition.Name;

    public SubscriptionDefinition Definition => _definition;

    /// <summary>Which changes are read.</summary>
    public CursorFilter Reads => _filter.Reads;

    /// <summary>
    /// How many batches of the feed are kept in memory, because a change that is not settled lies in them.
    /// </summary>
    internal int SharedBatches => Volatile.Read(ref _batches);

    /// <summary>The position stored in the database.</summary>
    public long PersistedPosition { get; private set; }

    /// <summary>The state key of a subscription's position.</summary>
    public static string CheckpointKey(string name) => "subscriptions/position/" + name.ToLowerInvariant();

    /// <summary>Starts to read, unless the subscription is paused.</summary>
    public void Start()
    {
        lock (_gate)
        {
            if (_definition.IsPaused || _ended is not null)
                return;
            _share.Join();
            _isShared = true;
            _reading = Task.Run(ReadAsync);
        }
    }

    /// <summary>Drops all workers and stops; batches in progress are no longer accepted.</summary>
    public async Task EndAsync(SubscriptionException reason)
    {
        lock (_gate)
        {
            _ended ??= reason;
            foreach (var lease in _leases.Workers.ToArray())
                End(lease, reason);
        }

        await _stop.CancelAsync().ConfigureAwait(false);
        await _reading.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        await _commit.WaitAsync().ConfigureAwait(false);
        lock (_gate)
            _isOver = true;
        _commit.Release();
    }

    /// <summary>
    /// Lets the next instance run the filter though processes ended while it ran: a person has decided so.
    /// </summary>
    public void Forgive() => _marker.Forgive();

    public async ValueTask DisposeAsync()
    {
        await EndAsync(
                new SubscriptionException(
                    Name,
                    SubscriptionProblem.Closed,
                    $"The subscription '{Name}' ended: the database is closing."
                )
            )
            .ConfigureAwait(false);
        await _timer.DisposeAsync().ConfigureAwait(false);
        lock (_gate)
        {
            _window.Reset(0, [], []);
            if (_isShared)
                _share.Leave();
            _isShared = false;
        }

        _stop.Dispose();
        _marker.Dispose();
    }

    private static TaskCompletionSource NewSignal() => new(TaskCreationOptions.RunContinuationsAsynchronously);

    private long Now => _time.GetUtcNow().UtcTicks;
}
