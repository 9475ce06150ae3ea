using Pipeline.Documents;
using Pipeline.Scripting;

namespace Pipeline.Subscriptions;

/// <content>Reading the feed ahead of the workers.</content>
internal sealed partial class Subscription
{
    private const long MaxUnneededHeld = 1_000;
    private const int MaxRead = 1_000,
        MaxReadBytes = 4 << 20;

    /// <summary>
    /// Changes that are a smaller part of their batch than this are copied, so that they do not keep the whole batch in
    /// memory.
    /// </summary>
    private const int SparsePart = 4;
    private readonly List<(DeliveryItem Item, string? Error)> _read = [];

    private async Task ReadAsync()
    {
        var ct = _stop.Token;
        try
        {
            ReadAgain();
            while (true)
            {
                long through;
                bool hasRoom;
                Task freed;
                lock (_gate)
                {
                    _window.MaxBytes = _share.Bytes;
                    (through, hasRoom, freed) = (
                        _window.Through,
                        _window.HasRoom && !WaitsForMark(),
                        _window.HasRoom ? _marked.Task : _freed.Task
                    );
                }

                // What the filter has seen so far, and a restart may give to it again, did not end the process.
                if (through >= _database.LastPosition)
                    _marker.Forgive();
                else if (!hasRoom)
                    _marker.Pass(through);
                if (!hasRoom)
                    await freed.WaitAsync(ct).ConfigureAwait(false);
                else if (through >= _database.LastPosition)
                    await _database.WaitForChangeAsync(through, ct).ConfigureAwait(false);
                else
                    await ReadSomeAsync(through, ct).ConfigureAwait(false);
            }
        }
        catch (OperationCanceledException) when (ct.IsCancellationRequested)
        {
            return;
        }
#pragma warning disable CA1031 // Any error: the workers get it, and the status shows it.
        catch (Exception e)
#pragma warning restore CA1031
        {
            var reason = new SubscriptionException(
                Name,
                SubscriptionProblem.Failed,
                $"The subscription '{Name}' stopped: {e.Message}",
                e
            );
            lock (_gate)
            {
                _ended ??= reason;
                foreach (var lease in _leases.Workers.ToArray())
                    End(lease, reason);
            }

            _events.Add(SubscriptionEventKind.Failed, Name, detail: e.Message);
        }
    }

    private ChangeLimits ReadLimits(long after)
    {
        var share = _share.Bytes;
        return new ChangeLimits(
            Math.Clamp(share / DeliveryWindow.ItemBytes, 1, Math.Min(MaxRead, _marker.ChangesAfter(after))),
            Math.Min(MaxReadBytes, share)
        );
    }

    private async Task ReadSomeAsync(long after, CancellationToken ct)
    {
        List<ParkedChange>? parked = null;
        _read.Clear();
        using (var snapshot = new DatabaseFeedSnapshot(_database.OpenSnapshot("subscription " + Name), _databaseId))
        {
            long end;
            lock (_gate)
                end = _resync?.Through ?? long.MaxValue;
            // A resync also repeats former versions of deleted documents, so their deletions must follow them.
            var batch = _filter.Read(
                snapshot.Snapshot,
                after,
                ReadLimits(after),
                withDeletes: end == long.MaxValue || _filter.ReadsVersions
            );
            if (!_spare.TryTake(out var memory))
                memory = new SharedChanges(_takeBack);
            memory.Begin(batch);
            Interlocked.Increment(ref _batches);
            try
            {
                using var marked = _filter.RunsScript ? await _marker.EnterAsync(ct).ConfigureAwait(false) : default;
                if (_filter.RunsScript)
                    _marker.Mark(batch.Through);
                for (var i = 0; i < batch.Count; i++)
                {
                    var change = batch[i];
                    if (change.Position > end)
                        break;
                    if (!_filter.Reads.Takes(change.Collection))
                        continue;
                    if (TryMake(change, memory, snapshot, ct, out var error) is { } item)
                        _read.Add((item, error));
                }

                var isSparse = _read.Sum(r => (long)r.Item.Change.Body.Data.Length) < batch.Bytes / SparsePart;
                lock (_gate)
                {
                    foreach ((var item, var error) in _read)
                    {
                        if (_window.IsDone(item.Position))
                            continue;
                        Add(item, error, ref parked);
                        if (isSparse)
                            item.Detach();
                    }

                    _window.ReadThrough(Math.Min(batch.Through, end));
                    Wake();
                }
            }
            finally
            {
                memory.Release();
            }
        }

        if (_filter.ReadsVersions && parked is null && IsHoldFarBehind())
            parked = [];
        if (parked is not null)
            await CommitAsync([.. parked.Select(p => p.Item)], parked, null, ct).ConfigureAwait(false);
    }

    /// <summary>
    /// Whether unneeded versions are held, because no delivered change has advanced the durable position for a long
    /// time.
    /// </summary>
    private bool IsHoldFarBehind()
    {
        lock (_gate)
            return _window.Position - PersistedPosition >= MaxUnneededHeld;
    }

    /// <summary>
    /// Adds a change that is not settled. Parks it if the filter failed or if a change of its key is parked; it stays
    /// in the window until that is durable.
    /// </summary>
    private void Add(DeliveryItem item, string? error, ref List<ParkedChange>? parked)
    {
        var isHeld = _held.Count > 0 && _held.Contains(item.Change.Id.ToLowerInvariant());
        if (error is null && !isHeld)
        {
            _window.Add(item);
            return;
        }

        _window.AddInHand(item);
        (parked ??= []).Add(
            new ParkedChange(
                item,
                error is null ? "held" : "filter",
                error ?? "an earlier change of the same document is parked"
            )
        );
    }

    private DeliveryItem? TryMake(
        in Change change,
        SharedChanges memory,
        DatabaseFeedSnapshot snapshot,
        CancellationToken ct,
        out string? error
    )
    {
        error = null;
        try
        {
            (Document? Document, bool IsKnown) previous = _filter.Previous(change, snapshot.Snapshot);
            if (!_filter.Passes(change, previous.Document, snapshot, out var payload, ct))
                return null;
            var item = memory.Make(change, payload);
            (item.IsPair, item.Previous) = (_filter.ReadsVersions, previous);
            return item;
        }
        catch (Exception e) when (e is ScriptRuntimeException or ScriptLimitException)
        {
            error = e.Message;
            return memory.Make(change, default);
        }
    }

    /// <summary>Reads the changes to deliver again, in their present state.</summary>
    private void ReadAgain()
    {
        long[] positions;
        lock (_gate)
            positions = [.. _window.Again];
        if (positions.Length == 0)
            return;
        using var snapshot = new DatabaseFeedSnapshot(_database.OpenSnapshot("subscription " + Name), _databaseId);
        foreach (var position in positions)
        {
            if (
                !(
                    _filter.ReadsVersions
                        ? snapshot.Snapshot.TryGetRevision(position, out var document)
                        : snapshot.Snapshot.TryGetByPosition(position, out document)
                )
            )
            {
                // A later change has replaced it, and is delivered at its own position.
                lock (_gate)
                    _window.ForgetAgain(position);
                continue;
            }

            var change = new Change(
                position,
                document.IsDeleted ? ChangeKind.Delete : ChangeKind.Put,
                document.Id,
                document.Collection,
                document.LastModified,
                document.Body
            );
            (Document?, bool) previous = _filter.Previous(change, snapshot.Snapshot);
            lock (_gate)
            {
                _window.AddAgain(
                    new DeliveryItem(change, default)
                    {
                        IsAgain = true,
                        Previous = previous,
                        IsPair = _filter.ReadsVersions,
                    }
                );
                Wake();
            }
        }
    }
}
