using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using Pipeline.Database.Queries.Catalog;
using Pipeline.Documents;
using Pipeline.Indexing;
using Pipeline.Scripting.Indexes;
using Pipeline.Storage;

namespace Pipeline.Database.Indexes;

/// <summary>
/// The indexes of a database: defines them, updates them in the background, waits for them and reports on them.
/// Thread-safe.
/// </summary>
/// <remarks>
/// Definitions are part of the database; entries lie in a store of each index's own, committed with the position up to
/// which they are complete. Names are the same in any case.
/// </remarks>
public sealed partial class DatabaseIndexes : IIndexOwner, IAsyncDisposable
{
    private static readonly ChangeLimits FirstMissing = new(1, 1);
    private readonly DocumentStorage _database;
    private readonly DocumentStorageOptions _options;
    private readonly IndexingOptions _indexing;
    private readonly ILogger _logger;
    private readonly IndexScheduler _turns;
    private readonly SemaphoreSlim _changing = new(1, 1);
    private readonly ConcurrentDictionary<string, IndexSlot> _slots = new(StringComparer.OrdinalIgnoreCase);
    private long _nextFolder = 1;
    private bool _closed;

    internal DatabaseIndexes(DocumentStorage database, DocumentStorageOptions options, IndexingOptions indexing)
    {
        _database = database;
        _options = options;
        _indexing = indexing;
        _logger = options.LoggerFactory?.CreateLogger<DatabaseIndexes>() ?? (ILogger)NullLogger.Instance;
        _turns = new IndexScheduler(Math.Max(1, indexing.MaxConcurrentBatches ?? Environment.ProcessorCount / 2));
    }

    /// <summary>
    /// Raised when something happens to an index, on the thread that did it: a handler must be quick and not throw.
    /// </summary>
    public event EventHandler<IndexChange>? Changed;

    /// <summary>All indexes, by name.</summary>
    public IReadOnlyList<IndexInfo> List() =>
        [.. _slots.Values.OrderBy(s => s.Name, StringComparer.OrdinalIgnoreCase).Select(Describe)];

    /// <summary>Returns one index; null if no index has this name.</summary>
    public IndexInfo? Get(string name) => _slots.TryGetValue(name, out var slot) ? Describe(slot) : null;

    /// <summary>The errors that are kept of an index, the newest first.</summary>
    /// <exception cref="IndexNotFoundException">There is no index of this name.</exception>
    public IReadOnlyList<IndexError> GetErrors(string name) => Use(name, i => i.ReadErrors());

    /// <summary>Returns the collections that an index maps; empty if it maps all documents.</summary>
    /// <exception cref="IndexNotFoundException">There is no index of this name.</exception>
    public IReadOnlyList<string> GetCollections(string name) => Find(name).Current.Outline.Collections ?? [];

    /// <summary>The last batches of an index since the database was opened, the oldest first.</summary>
    /// <exception cref="IndexNotFoundException">There is no index of this name.</exception>
    public IReadOnlyList<IndexBatchStatistics> GetBatches(string name) => Find(name).Current.Batches;

    /// <summary>Waits until an index has every change up to a position.</summary>
    /// <param name="name">The index.</param>
    /// <param name="position">The position, as of a write; null for the database's last at this moment.</param>
    /// <param name="timeout">The longest wait; null for any.</param>
    /// <param name="ct">Ends the wait.</param>
    /// <returns>Whether it has; false when the time was over first.</returns>
    /// <exception cref="IndexNotFoundException">No index has this name, or it was deleted in the meantime.</exception>
    /// <exception cref="IndexFailedException">It is in error, and so never will.</exception>
    public async Task<bool> WaitAsync(
        string name,
        long? position = null,
        TimeSpan? timeout = null,
        CancellationToken ct = default
    )
    {
        var reached = Find(name).WaitAsync(position ?? _database.LastPosition);
        try
        {
            await reached
                .WaitAsync(timeout ?? Timeout.InfiniteTimeSpan, _options.TimeProvider, ct)
                .ConfigureAwait(false);
            return true;
        }
        catch (TimeoutException)
        {
            return false;
        }
    }

    internal void Load()
    {
        byte[]? state;
        using (var snapshot = _database.OpenSnapshot("indexes"))
            state = snapshot.GetState(CatalogEntry.StateKey);
        (_nextFolder, var entries) = CatalogEntry.Read(state);
        var folders = entries
            .SelectMany(e => new[] { e.Folder, e.ReplacementFolder })
            .ToHashSet(StringComparer.Ordinal);
        foreach (var folder in IndexFolder.List(_options).Where(f => !folders.Contains(IndexFolder.DefinedBy(f))))
            DeleteFolder(folder);
        foreach (var entry in entries)
        {
            var slot = new IndexSlot(entry, OpenOrRebuild(entry.Definition, entry.Folder))
            {
                Since = _options.TimeProvider.GetUtcNow(),
            };
            if (entry is { Replacement: { } replacement, ReplacementFolder: { } folder })
                slot.Replacement = OpenOrRebuild(replacement, folder);
            _slots[entry.Definition.Name] = slot;
            if (slot.Current.Blocked is { } reason)
                IndexLog.Blocked(_logger, _database.Name, slot.Name, reason);
            Start(slot);
        }

        _isLoaded = true;
        StartSweep();
        IndexMetrics.Register(this);
        _indexing.AutoIndexBudget?.Join(this);
    }

    /// <summary>Ends the upkeep and closes the stores; the database does so when it is closed.</summary>
    async ValueTask IAsyncDisposable.DisposeAsync()
    {
        if (_closed)
            return;
        _closed = true;
        IndexMetrics.Unregister(this);
        _indexing.AutoIndexBudget?.Leave(this);
        _sweep?.Dispose();
        await _changing.WaitAsync().ConfigureAwait(false);
        await Task.WhenAll(_slots.Values.Select(StopAsync)).ConfigureAwait(false);
        foreach (var slot in _slots.Values)
        {
            slot.Dispose();
            slot.Replacement?.Dispose();
            slot.Current.Dispose();
        }

        _slots.Clear();
        _changing.Release();
    }

    private void Tell(IndexChangeKind kind, string name) => Changed?.Invoke(this, new IndexChange(kind, name));

    /// <summary>An index has made progress: waiting callers check again, and listeners are notified.</summary>
    private void Moved(IndexSlot slot)
    {
        slot.Wake();
        var current = slot.Current;
        if (Changed is null)
            return;
        if (current.Failure is not null)
            Tell(IndexChangeKind.Failed, slot.Name);
        else if (Interlocked.Exchange(ref slot.Told, current.Position) != current.Position)
            Tell(IndexChangeKind.BatchCompleted, slot.Name);
    }

    private IndexSlot Find(string name)
    {
        ArgumentNullException.ThrowIfNull(name);
        return _slots.TryGetValue(name, out var slot) ? slot : throw NotFound(name);
    }

    private T Use<T>(string name, Func<IndexInstance, T> read)
    {
        var slot = Find(name);
        var current = slot.Current;
        while (!current.TryAcquire())
        {
            if (_closed || !_slots.ContainsKey(name))
                throw NotFound(name);
            current = slot.Current;
        }

        try
        {
            return read(current);
        }
        finally
        {
            current.Release();
        }
    }

    private IndexInfo Describe(IndexSlot slot)
    {
        var current = slot.Current;
        long entries = 0;
        if (current.TryAcquire())
        {
            using (var reader = current.Store.OpenReader())
                entries = reader.LiveCount;
            current.Release();
        }

        var state = current.State;
        (var lag, var lagTime) = LagOf(slot);
        var queried = Volatile.Read(ref slot.LastQueried);
        return new IndexInfo
        {
            Definition = slot.Entry.Definition,
            State = slot.State,
            Failure = state.Failure ?? current.Blocked,
            Position = current.Position,
            Lag = lag,
            LagTime = lagTime,
            Entries = entries,
            Errors = state.Failed,
            Mapped = state.Mapped,
            LastIndexed = state.LastIndexed,
            LastQueried = queried == 0 ? null : new DateTimeOffset(queried, TimeSpan.Zero),
            ReplacementPosition = slot.Replacement?.Position,
        };
    }

    /// <summary>How far an index is behind; the definition is not compiled for it.</summary>
    private (long Changes, TimeSpan Time) LagOf(IndexSlot slot)
    {
        var current = slot.Current;
        var position = current.Position;
        if (_database.LastPosition <= position)
            return default;
        using var snapshot = _database.OpenSnapshot("index lag");
        var lag = Math.Max(0, snapshot.LastPosition - position);
        var filter = current.State.Outline is null ? ChangeFilter.AllWithDeletes : current.Filter;
        using var missing = snapshot.ReadChanges(position, filter, FirstMissing);
        return (
            lag,
            missing.Count == 0
                ? TimeSpan.Zero
                : TimeSpan.FromTicks(Math.Max(0, (_options.TimeProvider.GetUtcNow() - missing[0].LastModified).Ticks))
        );
    }

    /// <summary>Lags of all indexes, for metrics.</summary>
    IEnumerable<(string Index, long Changes, TimeSpan Time)> IIndexOwner.Lags()
    {
        foreach (var slot in _slots.Values)
        {
            if (_closed)
                yield break;
            (var changes, var time) = LagOf(slot);
            yield return (slot.Name, changes, time);
        }
    }

    string IIndexOwner.DatabaseName => _database.Name;

    /// <summary>Who may run batches; a test takes the turns to keep indexes behind.</summary>
    internal IndexScheduler Turns => _turns;

    private IndexInstance OpenOrRebuild(IndexDefinition definition, string folder)
    {
        // An index can always be rebuilt from the documents.
        IndexInstance? found = null;
        foreach (var place in IndexFolder.Places(_options, folder))
        {
            if (found is not null)
                DeleteFolder(place);
            else
                found = TryOpen(definition, folder, place);
        }
        return found ?? NewInstance(definition, folder, null);
    }

    private IndexInstance? TryOpen(IndexDefinition definition, string folder, string place)
    {
        try
        {
            var opened = NewInstance(definition, folder, null, place);
            if (!opened.IsForeign)
                return opened;
            opened.Retire(delete: true);
            IndexLog.Rebuilt(_logger, _database.Name, definition.Name, null);
        }
        catch (Exception e) when (e is StorageException or IndexCorruptException or System.Text.Json.JsonException)
        {
            IndexLog.Rebuilt(_logger, _database.Name, definition.Name, e);
            DeleteFolder(place);
        }

        return null;
    }

    private void DeleteFolder(string folder)
    {
        if (!IndexFolder.TryDelete(_options, folder))
            IndexLog.NotDeleted(_logger, _database.Name, folder);
    }

    private IndexInstance NewInstance(
        IndexDefinition definition,
        string folder,
        IIndexMapper? mapper,
        string? place = null
    ) => new(_database, _options, _indexing, definition, folder, mapper, place);
}
