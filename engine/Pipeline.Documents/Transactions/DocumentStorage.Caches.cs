using Pipeline.Storage;

namespace Pipeline.Documents;

/// <content>
/// What is kept in memory of the stored state is a function of an accepted state. A replica reads it again after each
/// commit, its own or another node's.
/// </content>
public abstract partial class DocumentStorage
{
    private readonly Lock _refreshing = new();
    private readonly List<(StaleCache Cache, Action<DatabaseSnapshot> Refresh)> _caches = [];
    private long _refreshed = -1;
    private int _namesLoaded;

    /// <summary>Leaves caches stale; a test shows that it finds it.</summary>
    internal StaleCache PlantedFault { get; set; }

    /// <summary>Updates the caches if a newer state was accepted. Thread-safe.</summary>
    internal void Refresh()
    {
        lock (_refreshing)
        {
            using var snapshot = OpenSnapshot("refresh");
            var transaction = snapshot.Stored;
            if (transaction.Id <= _refreshed || !TryLoad(transaction))
                return;
            _refreshed = transaction.Id;
            foreach (var (cache, refresh) in _caches)
            {
                if (PlantedFault != cache)
                    refresh(snapshot);
            }
        }
    }

    /// <summary>Has a cache read again from each newly accepted state; called before the storage is loaded.</summary>
    private void RefreshAfterCommit(StaleCache cache, Action<DatabaseSnapshot> refresh) =>
        _caches.Add((cache, refresh));

    private void LoadNames()
    {
        using (var transaction = Storage.BeginRead())
        {
            if (TryLoad(transaction))
                return;
        }

        // This process holds the folder, so no other can make the id at the same time. The id is durable before anyone
        // sees it.
        var id = NewGuid().ToByteArray();
        var lineages = DatabaseLineages.Initial.OfLife(Storage.Life).ToBytes();
        Storage
            .WriteAsync(transaction =>
            {
                var meta = transaction.CreateTree(DatabaseTrees.Meta);
                meta.Put("database-id"u8, id);
                meta.Put(DatabaseLineages.Key, lineages);
            })
            .GetAwaiter()
            .GetResult();
        using var written = Storage.BeginRead();
        if (!TryLoad(written))
            throw new DatabaseCorruptException(Name, "the database's id was written but is missing");
    }

    private bool TryLoad(ReadTransaction transaction)
    {
        if (!transaction.TryOpenTree(DatabaseTrees.Meta, out var meta) || !meta.TryGet("database-id"u8, out var id))
        {
            return false;
        }

        if (id.Length != 16)
            throw new DatabaseCorruptException(Name, $"the database's id has {id.Length} bytes, not 16");
        Id = new DatabaseId(new Guid(id));
        IdText = Id.ToString();
        Advance(DatabasePositions.Last(transaction));
        if (transaction.TryOpenTree(DatabaseTrees.Collections, out var names))
        {
            for (; _namesLoaded < names.Count / 2; _namesLoaded++)
            {
                var number = _namesLoaded + 1;
                var name = CollectionNames.Name(number, transaction, Collections, Name);
                Collections.Add(name, number, name);
            }
        }

        return true;
    }
}

/// <summary>A cache that a test leaves stale.</summary>
internal enum StaleCache
{
    None,
    Revisions,
    Expiration,
    Lineages,
    Indexes,
    Dictionaries,
}
