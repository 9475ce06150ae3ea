using System.Text.Json;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using Pipeline.Storage;

namespace Pipeline.Documents;

/// <summary>
/// All consumers of a database's change feed: subscriptions, ETL tasks, indexes, and consumers registered with
/// <see cref="SetAsync"/>. Keeps tombstones until every consumer has passed them, then purges them, and counts the data
/// kept for each. Thread-safe.
/// </summary>
public sealed class DatabaseConsumers : IAsyncDisposable
{
    internal const string StateKey = "consumers";
    internal const string PurgedKey = "consumers/purged";
    private const int PurgeBatch = 2_048;
    private readonly DocumentStorage _database;
    private readonly ILogger _logger;
    private readonly CancellationTokenSource _stop = new();
    private readonly SemaphoreSlim _purging = new(1);
    private readonly Lock _gate = new();
    private (long Stamp, IReadOnlyList<ConsumerStatus> Status)? _last;
    private Task _loop = Task.CompletedTask;
    private long _floorOfLastPurge;

    internal DatabaseConsumers(DocumentStorage database, ILoggerFactory? loggers)
    {
        _database = database;
        _logger = loggers?.CreateLogger<DatabaseConsumers>() ?? (ILogger)NullLogger.Instance;
    }

    /// <summary>
    /// Registers a consumer, or changes one; durable when it completes. <see cref="DocumentTransaction.SetConsumer"/>
    /// does it together with other writes.
    /// </summary>
    public Task SetAsync(FeedConsumer consumer, CancellationToken ct = default) =>
        _database.WriteAsync(t => t.SetConsumer(consumer), ct);

    /// <summary>Forgets a consumer; nothing is kept for it any more.</summary>
    /// <returns>Whether there was one.</returns>
    public Task<bool> RemoveAsync(string name, CancellationToken ct = default) =>
        _database.WriteAsync(t => t.RemoveConsumer(name), ct);

    /// <summary>The consumers that are known; indexes are not among them.</summary>
    public IReadOnlyList<FeedConsumer> List()
    {
        using var snapshot = _database.OpenSnapshot("consumers");
        return Parse(snapshot.GetState(StateKey));
    }

    /// <summary>
    /// The backlog and the retained data of each consumer, the slowest first. Costs some milliseconds for each that is
    /// behind.
    /// </summary>
    /// <param name="maxAge">
    /// A cached result up to this age is returned; by default everything is measured again.
    /// </param>
    public IReadOnlyList<ConsumerStatus> GetStatus(TimeSpan maxAge = default)
    {
        lock (_gate)
        {
            if (
                maxAge > TimeSpan.Zero
                && _last is { } known
                && _database.TimeProvider.GetElapsedTime(known.Stamp) <= maxAge
            )
            {
                return known.Status;
            }
        }

        // A measurement is as old as its beginning, and never replaces one that began later.
        var stamp = _database.TimeProvider.GetTimestamp();
        var status = Measure();
        lock (_gate)
        {
            if (_last is null || _last.Value.Stamp <= stamp)
                _last = (stamp, status);
        }

        return status;
    }

    /// <summary>Measures one consumer now; null if there is none of this name.</summary>
    public ConsumerStatus? Measure(string name)
    {
        using var snapshot = _database.OpenSnapshot("consumers");
        var consumer = Parse(snapshot.GetState(StateKey))
            .Find(c => c.Name.Equals(name, StringComparison.OrdinalIgnoreCase));
        return consumer is null ? null : Measure(snapshot, consumer, _database.Storage.GetReaders());
    }

    /// <summary>
    /// Removes the tombstones that every consumer has passed, in small commits. The database does this every
    /// <see cref="DocumentStorageOptions.TombstonePurgeInterval"/>.
    /// </summary>
    /// <returns>How many.</returns>
    public async Task<long> PurgeAsync(CancellationToken ct = default)
    {
        await _purging.WaitAsync(ct).ConfigureAwait(false);
        try
        {
            long purged = 0,
                floor = 0;
            // Other nodes' indexes need the tombstones, too. They have had the time since the last purge to read them.
            var reached = IndexFloor();
            var most = _database.IsReplica ? Math.Min(_floorOfLastPurge, reached) : long.MaxValue;
            _floorOfLastPurge = reached == long.MaxValue ? _database.LastPosition : reached;
            (int Collection, long After) from = (1, 0);
            while (from.Collection > 0)
            {
                ct.ThrowIfCancellationRequested();

                // Indexes only move forward; the others are read in the transaction that purges.
                var indexed = Math.Min(most, IndexFloor());
                if (!HasPurgeable(indexed))
                    break;
                (var some, from) = await _database
                    .WriteAsync(
                        t =>
                        {
                            floor = Math.Min(indexed, Floor(Parse(t.GetState(StateKey)), t.GetState));
                            return t.PurgeTombstones(floor, from, PurgeBatch);
                        },
                        ct
                    )
                    .ConfigureAwait(false);
                purged += some;
            }

            if (purged > 0)
                ConsumerLog.Purged(_logger, _database.Name, purged, floor);
            return purged;
        }
        finally
        {
            _purging.Release();
        }
    }

    /// <summary>Ends the purging; the database does so when it is closed.</summary>
    async ValueTask IAsyncDisposable.DisposeAsync()
    {
        ConsumerMetrics.Unregister(_database);
        await _stop.CancelAsync().ConfigureAwait(false);
        await _loop.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        _stop.Dispose();
    }

    internal void Start(TimeSpan interval)
    {
        ConsumerMetrics.Register(_database);
        if (interval > TimeSpan.Zero)
            _loop = PurgeEveryAsync(interval, _stop.Token);
    }

    internal static List<FeedConsumer> Parse(byte[]? state) =>
        state is null ? [] : JsonSerializer.Deserialize<List<FeedConsumer>>(state, JsonSerializerOptions.Web)!;

    internal static byte[] Format(List<FeedConsumer> consumers) =>
        JsonSerializer.SerializeToUtf8Bytes(consumers, JsonSerializerOptions.Web);

    /// <summary>
    /// Where a consumer is, after which position it has to keep up, and after which it needs tombstones.
    /// </summary>
    internal static (long Position, long Behind, long? KeepsAfter) Place(FeedConsumer consumer, byte[]? state)
    {
        if (state is null)
            return (0, 0, consumer.Deletes ? 0 : null);
        using var document = JsonDocument.Parse(state);
        var position = document.RootElement.GetProperty("position").GetInt64();
        long? keep = position;
        if (document.RootElement.TryGetProperty("keepAfter", out var other))
            keep = other.ValueKind == JsonValueKind.Null ? null : other.GetInt64();
        return (position, Math.Max(position, keep ?? position), consumer.Deletes ? keep : null);
    }

    private static long Floor(List<FeedConsumer> consumers, Func<string, byte[]?> state)
    {
        var floor = long.MaxValue;
        foreach (var consumer in consumers)
        {
            if (consumer.Deletes)
                floor = Math.Min(floor, Place(consumer, state(consumer.PositionKey)).KeepsAfter ?? long.MaxValue);
        }

        return floor;
    }

    private async Task PurgeEveryAsync(TimeSpan interval, CancellationToken ct)
    {
        while (true)
        {
            await Task.Delay(interval, _database.TimeProvider, ct).ConfigureAwait(false);
            if (!_database.Leads)
                continue;
            try
            {
                await PurgeAsync(ct).ConfigureAwait(false);
            }
            catch (Exception e) when (e is StorageException or JsonException or InvalidOperationException)
            {
                ConsumerLog.NotPurged(_logger, _database.Name, e);
            }
        }
    }

    private long IndexFloor()
    {
        var floor = long.MaxValue;
        foreach ((_, var position) in _database.GetIndexPositions())
            floor = Math.Min(floor, position);
        return floor;
    }

    private bool HasPurgeable(long indexed)
    {
        using var snapshot = _database.OpenSnapshot("consumers");
        var floor = Math.Min(
            Math.Min(indexed, snapshot.LastPosition - 1),
            Floor(Parse(snapshot.GetState(StateKey)), snapshot.GetState)
        );
        return floor > 0 && snapshot.FirstTombstone() <= floor;
    }

    private List<ConsumerStatus> Measure()
    {
        var readers = _database.Storage.GetReaders();
        var indexes = _database.GetIndexPositions();
        using var snapshot = _database.OpenSnapshot("consumers");
        List<ConsumerStatus> all = [.. Parse(snapshot.GetState(StateKey)).Select(c => Measure(snapshot, c, readers))];
        foreach ((var name, var at) in indexes)
        {
            var position = Math.Min(at, snapshot.LastPosition);
            var pending = snapshot.Measure(position, null, deletes: true, null);
            all.Add(Of("index/" + name, position, position, pending, default, "index " + name, snapshot, readers));
        }

        var slowest = all.Min(s => s.KeepsAfter) ?? long.MaxValue;
        return
        [
            .. all.Select(s => s.KeepsAfter == slowest && s.HeldTombstones > 0 ? s with { IsSlowest = true } : s)
                .OrderBy(s => s.Position)
                .ThenBy(s => s.Name, StringComparer.Ordinal),
        ];
    }

    private ConsumerStatus Measure(
        DatabaseSnapshot snapshot,
        FeedConsumer consumer,
        IReadOnlyList<ReaderStatistics> readers
    )
    {
        (var position, var behind, var keepsAfter) = Place(consumer, snapshot.GetState(consumer.PositionKey));
        var hold = snapshot.FindRevisionHold(consumer.PositionKey);
        var pending = snapshot.Measure(
            behind,
            consumer.Collections,
            consumer.Deletes,
            consumer.Collections is null ? consumer.Takes : null,
            hold is not null
        );
        var status = Of(
            consumer.Name,
            position,
            keepsAfter,
            pending,
            consumer.Since,
            consumer.Name.Replace('/', ' '),
            snapshot,
            readers
        );
        if (hold is null)
            return status;
        var versions = snapshot.MeasureHeldVersions(hold, _database.Revisions.Configuration, _database.UtcNow.UtcTicks);
        return status with
        {
            HeldVersions = versions.Changes,
            HeldVersionBytes = versions.Bytes,
            HeldAgeSeconds = Math.Max(status.HeldAgeSeconds, Age(versions)),
        };
    }

    private double Age(ChangeBacklog backlog) =>
        backlog.Oldest is { } oldest ? Math.Max(0, (_database.UtcNow - oldest).TotalSeconds) : 0;

    private ConsumerStatus Of(
        string name,
        long position,
        long? keepsAfter,
        ChangeBacklog pending,
        DateTimeOffset since,
        string owner,
        DatabaseSnapshot snapshot,
        IReadOnlyList<ReaderStatistics> readers
    )
    {
        var now = _database.UtcNow;
        var age = pending.Oldest is { } oldest
            ? Math.Max(0, (now - (oldest > since ? oldest : since)).TotalSeconds)
            : 0;
        List<ReaderStatistics> own =
        [
            .. readers.Where(r => r.Owner.Replace('/', ' ').Equals(owner, StringComparison.OrdinalIgnoreCase)),
        ];
        var held = keepsAfter is { } keep ? snapshot.MeasureTombstones(keep) : ChangeBacklog.None;
        var snapshotAge = own.Count == 0 ? 0 : own.Max(r => r.Age.TotalSeconds);
        return new ConsumerStatus(
            name,
            position,
            keepsAfter,
            Math.Max(0, snapshot.LastPosition - position),
            pending,
            age,
            held.Tombstones,
            held.Bytes,
            own.Sum(r => r.HeldBytes + r.HeldJournalBytes),
            snapshotAge
        )
        {
            HeldJournalBytes = own.Sum(r => r.HeldJournalBytes),
            HeldAgeSeconds = Math.Max(Age(held), snapshotAge),
        };
    }
}

public abstract partial class DocumentStorage
{
    /// <summary>Who follows the change feed, what waits for each, and the tombstones that are kept for them.</summary>
    public DatabaseConsumers Consumers { get; }
}
