using Pipeline.Database;
using Pipeline.Database.Scripts;

namespace Pipeline.Subscriptions;

/// <content>Reading the feed ahead of the workers.</content>
internal sealed partial class Subscription
{
    private const long MostHeldForNothing = 1_000;
    private static readonly ChangeLimits ReadLimits = new(1_000, 4 << 20);
    private readonly List<(DeliveryItem Item, string? Error)> _read = [];

    private async Task ReadAsync()
    {
        CancellationToken ct = _stop.Token;
        try
        {
            ReadAgain();
            while (true)
            {
                long through;
                bool hasRoom;
                Task freed;
                lock (_gate) (through, hasRoom, freed) = (_window.Through, _window.HasRoom && !WaitsForMark(), _window.HasRoom ? _marked.Task : _freed.Task);
                if (!hasRoom) await freed.WaitAsync(ct).ConfigureAwait(false);
                else if (through >= _database.LastPosition) await _database.WaitForChangeAsync(through, ct).ConfigureAwait(false);
                else await ReadSomeAsync(through, ct).ConfigureAwait(false);
            }
        }
        catch (OperationCanceledException) when (ct.IsCancellationRequested)
        {
            return;
        }
#pragma warning disable CA1031 // Whatever it is: the workers are told, and the state shows it.
        catch (Exception e)
#pragma warning restore CA1031
        {
            var reason = new SubscriptionException(Name, SubscriptionProblem.Failed, $"The subscription '{Name}' stopped: {e.Message}", e);
            lock (_gate)
            {
                _ended ??= reason;
                foreach (WorkerLease lease in _leases.Workers.ToArray()) End(lease, reason);
            }

            _events.Add(SubscriptionEventKind.Failed, Name, detail: e.Message);
        }
    }

    private async Task ReadSomeAsync(long after, CancellationToken ct)
    {
        List<ParkedChange>? parked = null;
        _read.Clear();
        using (var snapshot = new DatabaseFeedSnapshot(_database.OpenSnapshot("subscription " + Name), _databaseId))
        {
            long end;
            lock (_gate) end = _resync?.Through ?? long.MaxValue;
            // Former versions of a deleted document come anew too, so its deletion has to come behind them.
            ChangeBatch batch = _filter.Read(snapshot.Snapshot, after, ReadLimits, withDeletes: end == long.MaxValue || _filter.ReadsVersions);
            if (!_spare.TryTake(out SharedChanges? memory)) memory = new SharedChanges(_takeBack);
            memory.Begin(batch);
            try
            {
                for (int i = 0; i < batch.Count; i++)
                {
                    Change change = batch[i];
                    if (change.Position > end) break;
                    if (!_filter.Reads.Takes(change.Collection)) continue;
                    if (TryMake(change, memory, snapshot, ct, out string? error) is { } item) _read.Add((item, error));
                }

                lock (_gate)
                {
                    foreach ((DeliveryItem item, string? error) in _read) Add(item, error, ref parked);
                    _window.ReadThrough(Math.Min(batch.Through, end));
                    Wake();
                }
            }
            finally
            {
                memory.Release();
            }
        }

        if (_filter.ReadsVersions && parked is null && IsHoldFarBehind()) parked = [];
        if (parked is not null) await CommitAsync([.. parked.Select(p => p.Item)], parked, null, ct).ConfigureAwait(false);
    }

    /// <summary>Whether versions are held that nobody needs, because for long nothing was given that could be acknowledged.</summary>
    private bool IsHoldFarBehind()
    {
        lock (_gate) return _window.Position - PersistedPosition >= MostHeldForNothing;
    }

    /// <summary>What failed in the filter, or comes behind a parked change of its key, is parked: it is in the window until that is durable.</summary>
    private void Add(DeliveryItem item, string? error, ref List<ParkedChange>? parked)
    {
        if (_window.IsDone(item.Position)) return;
        bool isHeld = _held.Count > 0 && _held.Contains(item.Change.Id.ToLowerInvariant());
        if (error is null && !isHeld)
        {
            _window.Add(item);
            return;
        }

        _window.AddInHand(item);
        (parked ??= []).Add(new ParkedChange(item, error is null ? "held" : "filter", error ?? "an earlier change of the same document is parked"));
    }

    private DeliveryItem? TryMake(in Change change, SharedChanges memory, DatabaseFeedSnapshot snapshot, CancellationToken ct, out string? error)
    {
        error = null;
        try
        {
            (Document? Document, bool IsKnown) previous = _filter.Previous(change, snapshot.Snapshot);
            if (!_filter.Passes(change, previous.Document, snapshot, out ReadOnlyMemory<byte> payload, ct)) return null;
            DeliveryItem item = memory.Make(change, payload);
            (item.IsPair, item.Previous) = (_filter.ReadsVersions, previous);
            return item;
        }
        catch (Exception e) when (e is ScriptRuntimeException or ScriptLimitException)
        {
            error = e.Message;
            return memory.Make(change, default);
        }
    }

    /// <summary>What is to be given once more, as it is now.</summary>
    private void ReadAgain()
    {
        long[] positions;
        lock (_gate) positions = [.. _window.Again];
        if (positions.Length == 0) return;
        using var snapshot = new DatabaseFeedSnapshot(_database.OpenSnapshot("subscription " + Name), _databaseId);
        foreach (long position in positions)
        {
            if (!(_filter.ReadsVersions ? snapshot.Snapshot.TryGetRevision(position, out Document? document) : snapshot.Snapshot.TryGetByPosition(position, out document)))
            {
                // A later change has taken its place, and is given at its own position.
                lock (_gate) _window.ForgetAgain(position);
                continue;
            }

            var change = new Change(position, document.IsDeleted ? ChangeKind.Delete : ChangeKind.Put, document.Id, document.Collection, document.LastModified, document.Body);
            (Document?, bool) previous = _filter.Previous(change, snapshot.Snapshot);
            lock (_gate)
            {
                _window.AddAgain(new DeliveryItem(change, default) { IsAgain = true, Previous = previous, IsPair = _filter.ReadsVersions });
                Wake();
            }
        }
    }
}
