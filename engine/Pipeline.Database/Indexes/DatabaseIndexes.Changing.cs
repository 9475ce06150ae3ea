using Pipeline.Database.Queries.Catalog;
using Pipeline.Scripting.Indexes;

namespace Pipeline.Database.Indexes;

/// <content>Definitions and states, and versions side by side.</content>
public sealed partial class DatabaseIndexes
{
    /// <summary>
    /// Defines an index, or changes its definition. If the entries would differ, a new version is built while the
    /// current one keeps answering queries.
    /// </summary>
    /// <param name="definition">What it is to be.</param>
    /// <param name="ct">Gives it up before anything is done.</param>
    /// <returns>
    /// Done when the definition is durable; the entries follow in the background, see <see cref="WaitAsync"/>.
    /// </returns>
    /// <exception cref="InvalidIndexException">
    /// It does not compile, an analyzer is unknown, there are too many indexes, or the existing one is locked.
    /// </exception>
    public async Task PutAsync(IndexDefinition definition, CancellationToken ct = default)
    {
        ArgumentNullException.ThrowIfNull(definition);
        definition.CheckName();
        IndexFields.Check(definition);
        var mapper = definition.Auto is { } automatic
            ? AutoMapper.Of(automatic)
            : await Task.Run(() => ScriptMapper.Compile(definition, ct), ct).ConfigureAwait(false);
        await ChangeAsync(() => PutAsync(definition, mapper), ct).ConfigureAwait(false);
    }

    /// <summary>Deletes an index with all that it holds.</summary>
    /// <returns>Whether there was one of the name.</returns>
    public Task<bool> DeleteAsync(string name, CancellationToken ct = default) =>
        ChangeAsync(
            async () =>
            {
                if (!_slots.TryRemove(name, out var slot))
                    return false;
                await SaveAsync().ConfigureAwait(false);
                await StopAsync(slot).ConfigureAwait(false);
                slot.Dispose();
                slot.Replacement?.Retire(delete: true);
                slot.Current.Retire(delete: true);
                Tell(IndexChangeKind.Removed, slot.Name);
                return true;
            },
            ct
        );

    /// <summary>Empties an index and rebuilds it, even if it was in error.</summary>
    /// <exception cref="IndexNotFoundException">There is none of the name.</exception>
    public Task ResetAsync(string name, CancellationToken ct = default) =>
        ChangeAsync(
            async () =>
            {
                var slot = Find(name);
                await StopAsync(slot).ConfigureAwait(false);
                slot.Replacement?.Retire(delete: true);
                var old = slot.Current;
                var definition = slot.Entry.Replacement ?? slot.Entry.Definition;
                var anew = NewInstance(definition, NewFolder(definition.Name), null);
                slot.Entry = slot.Entry with
                {
                    Definition = definition,
                    Folder = anew.Folder,
                    Replacement = null,
                    ReplacementFolder = null,
                };
                await SaveAsync().ConfigureAwait(false);
                slot.Replace(anew);
                old.Retire(delete: true);
                Start(slot);
                return true;
            },
            ct
        );

    /// <summary>Pauses, disables or enables an index.</summary>
    /// <param name="name">The index.</param>
    /// <param name="state">
    /// <see cref="IndexState.Paused"/> lasts until the database is closed, <see cref="IndexState.Disabled"/> until it
    /// is set to <see cref="IndexState.Normal"/>.
    /// </param>
    /// <param name="ct">Gives it up before anything is done.</param>
    /// <exception cref="IndexNotFoundException">There is none of the name.</exception>
    /// <exception cref="ArgumentException">Nobody sets <see cref="IndexState.Error"/>.</exception>
    public Task SetStateAsync(string name, IndexState state, CancellationToken ct = default)
    {
        if (state is IndexState.Error || !Enum.IsDefined(state))
            throw new ArgumentException("An index is set to Normal, Paused or Disabled.", nameof(state));
        return ChangeAsync(
            async () =>
            {
                var slot = Find(name);
                slot.Paused = state == IndexState.Paused;
                if (slot.Entry.Disabled != (state == IndexState.Disabled))
                {
                    slot.Entry = slot.Entry with { Disabled = state == IndexState.Disabled };
                    await SaveAsync().ConfigureAwait(false);
                }

                if (state == IndexState.Normal)
                {
                    // A person has read why it was disabled.
                    if (slot.Current.Marker.IsBlocked)
                        slot.Current.Marker.Forgive();
                    if (slot.Replacement is { Marker.IsBlocked: true } beside)
                        beside.Marker.Forgive();
                    Start(slot);
                }
                else
                {
                    await StopAsync(slot).ConfigureAwait(false);
                }

                if (state != IndexState.Normal)
                    Tell(state == IndexState.Paused ? IndexChangeKind.Paused : IndexChangeKind.Disabled, slot.Name);
                return true;
            },
            ct
        );
    }

    /// <summary>Forgets the errors that are kept of an index. How many there were still counts.</summary>
    /// <param name="name">The index.</param>
    /// <param name="ct">Gives it up before anything is done.</param>
    /// <exception cref="IndexNotFoundException">There is none of the name.</exception>
    public Task ClearErrorsAsync(string name, CancellationToken ct = default) =>
        ChangeAsync(
            async () =>
            {
                await Use(name, i => i.ClearErrorsAsync()).ConfigureAwait(false);
                return true;
            },
            ct
        );

    private async Task<bool> PutAsync(IndexDefinition definition, IIndexMapper mapper)
    {
        if (!_slots.TryGetValue(definition.Name, out var slot))
        {
            if (_slots.Count >= _indexing.MaxIndexes)
            {
                throw new InvalidIndexException(
                    definition.Name,
                    $"the database has MaxIndexes = {_indexing.MaxIndexes} indexes",
                    []
                );
            }

            var made = NewInstance(definition, NewFolder(definition.Name), mapper);
            slot = new IndexSlot(new CatalogEntry { Definition = definition, Folder = made.Folder }, made)
            {
                Since = _options.TimeProvider.GetUtcNow(),
            };
            _slots[definition.Name] = slot;
            await SaveAsync().ConfigureAwait(false);
            Tell(IndexChangeKind.Added, slot.Name);
            Start(slot);
            return true;
        }

        var entry = slot.Entry;
        if (
            entry.Definition.LockMode == IndexLockMode.LockedIgnore
            && definition.LockMode == IndexLockMode.LockedIgnore
        )
        {
            return false;
        }

        if (entry.Definition.LockMode == IndexLockMode.LockedError && definition.LockMode == IndexLockMode.LockedError)
        {
            throw new InvalidIndexException(definition.Name, "the existing index is locked; unlock it first", []);
        }

        if (entry.Definition.Hash == definition.Hash)
        {
            // The entries are the same, so the replacement under construction is dropped.
            await DropReplacementAsync(slot).ConfigureAwait(false);
            slot.Entry = entry with { Definition = definition, Replacement = null, ReplacementFolder = null };
            slot.Current.Definition = definition;
            await SaveAsync().ConfigureAwait(false);
            if (entry.Definition.LockMode != definition.LockMode)
                Tell(IndexChangeKind.LockModeChanged, slot.Name);
            if (entry.Definition.Priority != definition.Priority)
                Tell(IndexChangeKind.PriorityChanged, slot.Name);
            return true;
        }

        if (entry.Replacement?.Hash == definition.Hash)
        {
            slot.Entry = entry with { Replacement = definition };
            slot.Replacement!.Definition = definition;
            await SaveAsync().ConfigureAwait(false);
            return true;
        }

        await DropReplacementAsync(slot).ConfigureAwait(false);
        var beside = NewInstance(definition, NewFolder(definition.Name), mapper);
        slot.Entry = entry with { Replacement = definition, ReplacementFolder = beside.Folder };
        slot.Replacement = beside;
        await SaveAsync().ConfigureAwait(false);
        Start(slot);
        return true;
    }

    private static async Task DropReplacementAsync(IndexSlot slot)
    {
        if (slot.ReplacementFollower is { } follower)
        {
            slot.ReplacementFollower = null;
            await follower.DisposeAsync().ConfigureAwait(false);
        }

        slot.Replacement?.Retire(delete: true);
        slot.Replacement = null;
    }

    /// <summary>The replacement has caught up and answers from now on.</summary>
    private Task<bool> SwapAsync(IndexSlot slot, IndexInstance replacement, CancellationToken ct) =>
        ChangeAsync(
            async () =>
            {
                if (slot.Replacement != replacement)
                    return false;
                var old = slot.Current;
                var oldFollower = slot.Follower;
                slot.Follower = slot.ReplacementFollower;
                slot.ReplacementFollower = null;
                slot.Entry = slot.Entry with
                {
                    Definition = replacement.Definition,
                    Folder = replacement.Folder,
                    Replacement = null,
                    ReplacementFolder = null,
                };
                await SaveAsync().ConfigureAwait(false);
                slot.Replace(replacement);
                if (oldFollower is not null)
                    await oldFollower.DisposeAsync().ConfigureAwait(false);
                old.Retire(delete: true);
                IndexLog.Replaced(_logger, _database.Name, slot.Name);
                Tell(IndexChangeKind.Replaced, slot.Name);
                return true;
            },
            ct
        );

    private void Start(IndexSlot slot)
    {
        if (!_indexing.Enabled || slot.Entry.Disabled || slot.Paused)
            return;
        var current = slot.Current;
        if (!current.Marker.IsBlocked)
        {
            slot.Follower ??= new IndexFollower(
                current,
                _turns,
                _logger,
                () => Moved(slot),
                ct => AtLeaderAsync(() => CaughtUpAsync(slot, ct)),
                () => RebuildSoon(slot, current)
            );
        }

        if (slot.Replacement is { Marker.IsBlocked: false } replacement)
        {
            slot.ReplacementFollower ??= new IndexFollower(
                replacement,
                _turns,
                _logger,
                () => Moved(slot),
                ct =>
                    AtLeaderAsync(() =>
                        slot.Replacement == replacement
                            ? (Task)SwapAsync(slot, replacement, ct)
                            : CaughtUpAsync(slot, ct)
                    ),
                () => RebuildSoon(slot, replacement)
            );
        }
    }

    private static async Task StopAsync(IndexSlot slot)
    {
        (var current, var replacement) = (slot.Follower, slot.ReplacementFollower);
        slot.Follower = slot.ReplacementFollower = null;
        if (current is not null)
            await current.DisposeAsync().ConfigureAwait(false);
        if (replacement is not null)
            await replacement.DisposeAsync().ConfigureAwait(false);
    }

    private Task<T> ChangeAsync<T>(Func<Task<T>> change, CancellationToken ct) =>
        _database.IsReplica ? ChangeAtLeaderAsync(change, ct) : ChangeHereAsync(change, ct);

    private async Task<T> ChangeHereAsync<T>(Func<Task<T>> change, CancellationToken ct)
    {
        await _changing.WaitAsync(ct).ConfigureAwait(false);
        try
        {
            ObjectDisposedException.ThrowIf(_closed, this);
            return await change().ConfigureAwait(false);
        }
        finally
        {
            _changing.Release();
        }
    }

    private string NewFolder(string name) => IndexFolder.Name(name, _nextFolder++);

    private Task SaveAsync()
    {
        var state = CatalogEntry.Write(
            _nextFolder,
            _slots.Values.Select(s => s.Entry).OrderBy(e => e.Definition.Name, StringComparer.Ordinal)
        );
        return _database.WriteIfReadyAsync(transaction => transaction.SetState(CatalogEntry.StateKey, state));
    }
}
