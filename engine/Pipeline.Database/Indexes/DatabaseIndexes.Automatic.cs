namespace Pipeline.Database.Indexes;

/// <content>Automatic indexes: made for queries that no index answers, widened, and deleted when no query uses them.</content>
public sealed partial class DatabaseIndexes
{
    private static readonly TimeSpan SweepInterval = TimeSpan.FromHours(1);
    private ITimer? _sweep;

    /// <summary>The automatic index for what a query asks for: one that has it all, else a new one that has this and what the collection's widest has.</summary>
    /// <param name="wanted">The collection, and the fields with what the query does with them.</param>
    /// <param name="ct">Gives it up.</param>
    /// <returns>The index's name; it may have to be waited for.</returns>
    public async Task<string> UseAutomaticAsync(AutoIndexDefinition wanted, CancellationToken ct = default)
    {
        ArgumentNullException.ThrowIfNull(wanted);
        if (Covering(wanted) is { } known) return known.Name;
        return await ChangeAsync(
            async () =>
            {
                if (Covering(wanted) is { } made) return made.Name;
                AutoIndexDefinition wide = Automatic(wanted.Collection).Select(s => s.Entry.Definition.Auto!).OrderByDescending(d => d.Fields.Count).FirstOrDefault()?.Widen(wanted)
                    ?? wanted.Widen(wanted);
                var definition = new IndexDefinition { Name = wide.Name, Auto = wide, Fields = AutoMapper.Options(wide) };
                await PutAsync(definition, new AutoMapper(wide)).ConfigureAwait(false);
                return definition.Name;
            },
            ct).ConfigureAwait(false);
    }

    private IndexSlot? Covering(AutoIndexDefinition wanted) => Automatic(wanted.Collection)
        .Where(s => s.State != IndexState.Disabled && s.Entry.Definition.Auto!.Covers(wanted))
        .OrderByDescending(s => s.Current.Position == _database.LastPosition).ThenBy(s => s.Entry.Definition.Auto!.Fields.Count)
        .FirstOrDefault();

    private IEnumerable<IndexSlot> Automatic(string collection) =>
        _slots.Values.Where(s => s.Entry.Definition.Auto is { } a && string.Equals(a.Collection, collection, StringComparison.OrdinalIgnoreCase));

    /// <summary>An automatic index that has come up to the present replaces the narrower ones of its collection.</summary>
    private async Task CaughtUpAsync(IndexSlot slot, CancellationToken ct)
    {
        if (slot.Entry.Definition.Auto is not { } wide) return;
        foreach (IndexSlot narrow in Automatic(wide.Collection).Where(s => s != slot && wide.Covers(s.Entry.Definition.Auto!) && !s.Entry.Definition.Auto!.Covers(wide)).ToList())
        {
            await DeleteAsync(narrow.Name, ct).ConfigureAwait(false);
        }
    }

    private void StartSweep()
    {
        if (!_options.Indexing.Enabled) return;
        _sweep = _options.TimeProvider.CreateTimer(_ => _ = Task.Run(SweepAsync), null, SweepInterval, SweepInterval);
    }

    private async Task SweepAsync()
    {
        DateTimeOffset now = _options.TimeProvider.GetUtcNow();
        foreach (IndexSlot slot in _slots.Values.Where(s => s.Entry.Definition.Auto is not null))
        {
            long queried = Volatile.Read(ref slot.LastQueried);
            DateTimeOffset since = queried == 0 ? slot.Since : new DateTimeOffset(queried, TimeSpan.Zero);
            if (_closed || now - since < _options.Indexing.AutoIndexLifetime) continue;
            try
            {
                if (await DeleteAsync(slot.Name).ConfigureAwait(false)) IndexLog.Unused(_logger, _database.Name, slot.Name, since);
            }
            catch (ObjectDisposedException)
            {
                // The database is being closed.
                return;
            }
        }
    }
}
