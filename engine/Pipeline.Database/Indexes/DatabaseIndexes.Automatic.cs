namespace Pipeline.Database.Indexes;

/// <content>
/// Automatic indexes: made for queries that no index answers, widened, and deleted when no query uses them.
/// </content>
public sealed partial class DatabaseIndexes
{
    private static readonly TimeSpan SweepInterval = TimeSpan.FromHours(1);
    private ITimer? _sweep;

    /// <summary>
    /// Returns an automatic index that covers a query. If there is none, defines one that covers the query and
    /// everything the widest index of this kind covers.
    /// </summary>
    /// <param name="wanted">The collection, and what a query does with which fields.</param>
    /// <param name="ct">Gives it up.</param>
    /// <returns>The index's name, and whether it was made for this.</returns>
    /// <exception cref="AutoIndexLimitException">
    /// One more, or one with more fields, would be over a limit of <see cref="IndexingOptions"/>.
    /// </exception>
    public async Task<(string Name, bool IsNew)> UseAutomaticAsync(
        AutoIndexDefinition wanted,
        CancellationToken ct = default
    )
    {
        ArgumentNullException.ThrowIfNull(wanted);
        if (Covering(wanted) is { } known)
            return (known.Name, false);
        return await ChangeAsync(
                async () =>
                {
                    if (Covering(wanted) is { } made)
                        return (made.Name, false);
                    var wide = (
                        Automatic(wanted)
                            .Select(s => s.Entry.Definition.Auto!)
                            .OrderByDescending(d => d.Fields.Count)
                            .FirstOrDefault()
                        ?? wanted
                    ).Widen(wanted);
                    var definition = new IndexDefinition
                    {
                        Name = wide.Name,
                        Auto = wide,
                        Fields = AutoFields.Options(wide),
                    };
                    await PutWithinLimitsAsync(definition).ConfigureAwait(false);
                    return (definition.Name, true);
                },
                ct
            )
            .ConfigureAwait(false);
    }

    /// <inheritdoc/>
    int IIndexOwner.AutomaticCount => AutomaticCount;

    private int AutomaticCount => _slots.Values.Count(s => s.Entry.Definition.Auto is not null);

    private async Task PutWithinLimitsAsync(IndexDefinition definition)
    {
        if (definition.Auto!.Fields.Count > _indexing.MaxAutoIndexFields)
        {
            throw new AutoIndexLimitException(
                definition.Name,
                $"it would have {definition.Auto.Fields.Count} fields, more than indexing.maxAutoIndexFields = {_indexing.MaxAutoIndexFields} (MaxAutoIndexFields)"
            );
        }

        var isNew = !_slots.ContainsKey(definition.Name);
        if (isNew && AutomaticCount >= _indexing.MaxAutoIndexes)
        {
            throw new AutoIndexLimitException(
                definition.Name,
                $"the database '{_database.Name}' has indexing.maxAutoIndexes = {_indexing.MaxAutoIndexes} of them (MaxAutoIndexes)"
            );
        }

        if (isNew && _indexing.AutoIndexBudget is { } budget && !budget.TryBegin())
            throw new AutoIndexLimitException(definition.Name, budget.Reason);
        try
        {
            await PutAsync(definition, AutoMapper.Of(definition.Auto)).ConfigureAwait(false);
        }
        finally
        {
            if (isNew)
                _indexing.AutoIndexBudget?.End();
        }
    }

    private IndexSlot? Covering(AutoIndexDefinition wanted) =>
        Automatic(wanted)
            .Where(s => s.State is IndexState.Normal or IndexState.Paused && s.Entry.Definition.Auto!.Covers(wanted))
            .OrderByDescending(s => s.Current.Position == _database.LastPosition)
            .ThenBy(s => s.Entry.Definition.Auto!.Fields.Count)
            .FirstOrDefault();

    private IEnumerable<IndexSlot> Automatic(AutoIndexDefinition kind) =>
        _slots.Values.Where(s => s.Entry.Definition.Auto is { } a && a.IsOneWith(kind));

    /// <summary>
    /// An automatic index that has come up to the present replaces the narrower ones of its collection.
    /// </summary>
    private async Task CaughtUpAsync(IndexSlot slot, CancellationToken ct)
    {
        if (slot.Entry.Definition.Auto is not { } wide)
            return;
        foreach (
            var narrow in Automatic(wide)
                .Where(s =>
                    s != slot && wide.Covers(s.Entry.Definition.Auto!) && !s.Entry.Definition.Auto!.Covers(wide)
                )
                .ToList()
        )
        {
            await DeleteAsync(narrow.Name, ct).ConfigureAwait(false);
        }
    }

    private void StartSweep()
    {
        if (!_indexing.Enabled)
            return;
        _sweep = _options.TimeProvider.CreateTimer(_ => _ = Task.Run(SweepAsync), null, SweepInterval, SweepInterval);
    }

    private Task SweepAsync() => AtLeaderAsync(SweepUnusedAsync);

    private async Task SweepUnusedAsync()
    {
        var now = _options.TimeProvider.GetUtcNow();
        foreach (var slot in _slots.Values.Where(s => s.Entry.Definition.Auto is not null))
        {
            var queried = Volatile.Read(ref slot.LastQueried);
            var since = queried == 0 ? slot.Since : new DateTimeOffset(queried, TimeSpan.Zero);
            if (_closed || now - since < _indexing.AutoIndexLifetime)
                continue;
            try
            {
                if (await DeleteAsync(slot.Name).ConfigureAwait(false))
                    IndexLog.Unused(_logger, _database.Name, slot.Name, since);
            }
            catch (ObjectDisposedException)
            {
                // The database is being closed.
                return;
            }
        }
    }
}
