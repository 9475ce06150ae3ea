using Pipeline.Documents;
using Pipeline.Storage;

namespace Pipeline.Database.Indexes;

/// <content>
/// The indexes of a replica: definitions come from the log, entries are this node's own. Only the leader changes
/// definitions.
/// </content>
public sealed partial class DatabaseIndexes
{
    private readonly Lock _following = new();
    private byte[]? _seen;
    private bool _isLoaded;
    private Task _reconciling = Task.CompletedTask;

    /// <summary>Follows the definitions of an accepted state; returns at once.</summary>
    internal void Refresh(DatabaseSnapshot accepted)
    {
        if (!_isLoaded)
            return;
        var state = accepted.GetState(CatalogEntry.StateKey);
        lock (_following)
        {
            // The leader's definitions in memory are newer than the accepted ones.
            if (_database.Storage.Role == StorageRole.Leader)
            {
                _seen = null;
                return;
            }
            if (_seen is not null && state is not null && _seen.AsSpan().SequenceEqual(state))
                return;
            _seen = state ?? [];
            _reconciling = ReconcileAfterAsync(_reconciling);
        }
    }

    /// <summary>
    /// Completes when the definitions of all accepted states that were seen are followed, and no change of one is under
    /// way.
    /// </summary>
    internal async Task WhenFollowedAsync()
    {
        Task following;
        lock (_following)
            following = _reconciling;
        await following.ConfigureAwait(false);
        await _changing.WaitAsync().ConfigureAwait(false);
        _changing.Release();
    }

    /// <summary>Does at the next leader what the last one had not finished.</summary>
    internal void TakeOver(CancellationToken ended)
    {
        foreach (var slot in _slots.Values)
        {
            if (slot.Replacement is { } replacement && replacement.Position >= _database.LastPosition)
                _ = AtLeaderAsync(() => SwapAsync(slot, replacement, ended));
            else if (slot.Current.Position >= _database.LastPosition)
                _ = AtLeaderAsync(() => CaughtUpAsync(slot, ended));
        }
    }

    /// <summary>Makes the indexes match the accepted definitions.</summary>
    internal async Task ReconcileAsync()
    {
        await _changing.WaitAsync().ConfigureAwait(false);
        try
        {
            if (_closed)
                return;
            byte[]? state;
            using (var snapshot = _database.OpenSnapshot("indexes"))
                state = snapshot.GetState(CatalogEntry.StateKey);
            (_nextFolder, var entries) = CatalogEntry.Read(state);
            var names = entries.Select(e => e.Definition.Name).ToHashSet(StringComparer.OrdinalIgnoreCase);
            foreach (var slot in _slots.Values.Where(s => !names.Contains(s.Name)).ToList())
                await RemoveAsync(slot).ConfigureAwait(false);
            foreach (var entry in entries)
                await FollowAsync(entry).ConfigureAwait(false);
        }
        finally
        {
            _changing.Release();
        }
    }

    /// <summary>
    /// Keeps the stores of all indexes open for a copy of the node, until this is disposed of. Folders are those below
    /// the database's.
    /// </summary>
    internal IndexLeases Lease()
    {
        var leased = new List<IndexInstance>();
        foreach (var slot in _slots.Values)
        {
            foreach (var instance in new[] { slot.Current, slot.Replacement })
            {
                if (instance?.TryAcquire() == true)
                    leased.Add(instance);
            }
        }
        return new IndexLeases(leased);
    }

    /// <summary>Builds a version anew beside its files, which queries may still use; returns at once.</summary>
    private void RebuildSoon(IndexSlot slot, IndexInstance behind) =>
        _ = Task.Run(async () =>
        {
            try
            {
                await ChangeHereAsync(() => RebuildAsync(slot, behind), CancellationToken.None).ConfigureAwait(false);
            }
            catch (ObjectDisposedException)
            {
                // The database is being closed. Its next opening builds the version again.
            }
            catch (Exception e) when (e is StorageException or IOException)
            {
                IndexLog.NotFollowed(_logger, _database.Name, e);
            }
        });

    private async Task<bool> RebuildAsync(IndexSlot slot, IndexInstance behind)
    {
        if (!_slots.TryGetValue(slot.Name, out var known) || known != slot)
            return false;
        var isCurrent = slot.Current == behind;
        if (!isCurrent && slot.Replacement != behind)
            return false;
        var follower = isCurrent ? slot.Follower : slot.ReplacementFollower;
        if (isCurrent)
            slot.Follower = null;
        else
            slot.ReplacementFollower = null;
        if (follower is not null)
            await follower.DisposeAsync().ConfigureAwait(false);
        var place = IndexFolder.Other(behind.Folder, behind.Place);
        DeleteFolder(place);
        var anew = NewInstance(behind.Definition, behind.Folder, null, place);
        if (isCurrent)
            slot.Exchange(anew);
        else
            slot.Replacement = anew;
        behind.Retire(delete: true);
        Start(slot);
        return true;
    }

    private async Task ReconcileAfterAsync(Task earlier)
    {
        await Task.Yield();
        await earlier.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        try
        {
            await ReconcileAsync().ConfigureAwait(false);
        }
        catch (ObjectDisposedException)
        {
            // The database is being closed. Its next opening reconciles.
        }
        catch (Exception e) when (e is StorageException or IOException)
        {
            IndexLog.NotFollowed(_logger, _database.Name, e);
        }
    }

    private async Task RemoveAsync(IndexSlot slot)
    {
        _slots.TryRemove(slot.Name, out _);
        await StopAsync(slot).ConfigureAwait(false);
        slot.Dispose();
        slot.Replacement?.Retire(delete: true);
        slot.Current.Retire(delete: true);
        Tell(IndexChangeKind.Removed, slot.Name);
    }

    private async Task FollowAsync(CatalogEntry entry)
    {
        if (!_slots.TryGetValue(entry.Definition.Name, out var slot))
        {
            slot = new IndexSlot(entry, OpenOrRebuild(entry.Definition, entry.Folder))
            {
                Since = _options.TimeProvider.GetUtcNow(),
            };
            _slots[entry.Definition.Name] = slot;
            Tell(IndexChangeKind.Added, slot.Name);
        }
        else if (slot.Current.Folder != entry.Folder)
        {
            await ReplaceAsync(slot, entry).ConfigureAwait(false);
        }

        if (slot.Current.Definition != entry.Definition)
            slot.Current.Definition = entry.Definition;
        if (slot.Replacement is { } beside && beside.Folder != entry.ReplacementFolder)
            await DropReplacementAsync(slot).ConfigureAwait(false);
        if (entry is { Replacement: { } replacement, ReplacementFolder: { } folder })
            (slot.Replacement ??= OpenOrRebuild(replacement, folder)).Definition = replacement;
        slot.Entry = entry;
        if (entry.Disabled)
            await StopAsync(slot).ConfigureAwait(false);
        else
            Start(slot);
        slot.Wake();
    }

    /// <summary>
    /// The leader has replaced or reset the index. This node's new version may still be behind; results say so.
    /// </summary>
    private async Task ReplaceAsync(IndexSlot slot, CatalogEntry entry)
    {
        var (old, follower) = (slot.Current, slot.Follower);
        if (slot.Replacement is { } next && next.Folder == entry.Folder)
        {
            slot.Follower = slot.ReplacementFollower;
            slot.ReplacementFollower = null;
            slot.Replace(next);
        }
        else
        {
            slot.Follower = null;
            await DropReplacementAsync(slot).ConfigureAwait(false);
            slot.Replace(OpenOrRebuild(entry.Definition, entry.Folder));
        }
        if (follower is not null)
            await follower.DisposeAsync().ConfigureAwait(false);
        old.Retire(delete: true);
        Tell(IndexChangeKind.Replaced, slot.Name);
    }

    /// <summary>
    /// Changes definitions at the leader. Its result, and an error that comes from memory, leave only when this node is
    /// certain to have led.
    /// </summary>
    private async Task<T> ChangeAtLeaderAsync<T>(Func<Task<T>> change, CancellationToken ct)
    {
        await _database.ReadyToWriteAsync(ct).ConfigureAwait(false);
        T result;
        try
        {
            result = await ChangeHereAsync(change, ct).ConfigureAwait(false);
        }
        catch (Exception e)
        {
            if (e is not (OperationCanceledException or ObjectDisposedException))
                await ConfirmAsync(ct).ConfigureAwait(false);
            lock (_following)
                _reconciling = ReconcileAfterAsync(_reconciling);
            throw;
        }

        await ConfirmAsync(ct).ConfigureAwait(false);
        return result;
    }

    /// <summary>Completes when this node led after the call.</summary>
    private Task<bool> ConfirmAsync(CancellationToken ct) => _database.Storage.WriteAsync(static _ => true, ct);

    /// <summary>What the leader does by itself; nothing elsewhere.</summary>
    private async Task AtLeaderAsync(Func<Task> work)
    {
        if (!_database.Leads)
            return;
        try
        {
            await work().ConfigureAwait(false);
        }
        catch (Exception e) when (_database.IsReplica && e is NotLeaderException or NotAcceptedException)
        {
            // The next leader does it, with its own copy of the index.
            IndexLog.LeftToLeader(_logger, _database.Name, e);
        }
    }
}
