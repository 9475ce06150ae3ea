using Pipeline.Documents.Events;
using Pipeline.Json;
using Pipeline.Storage;

namespace Pipeline.Documents;

/// <summary>
/// Stores documents in collections, and gives each change a position. <c>DocumentDatabase</c> adds indexes and queries
/// to it. Thread-safe.
/// </summary>
/// <remarks>
/// A write's task completes when the write is durable. engine/README.md says what snapshots, batches and positions
/// promise. One process at a time has a data folder open.
/// </remarks>
public abstract partial class DocumentStorage : IAsyncDisposable
{
    private readonly DocumentStorageOptions _options;
    private readonly Func<Guid> _newGuid;
    private int _disposed;
    private int _namesLoaded;

    /// <summary>Opens the storage and reads nothing; <see cref="Load"/> does.</summary>
    internal DocumentStorage(DocumentStorageOptions options)
    {
        _options = options;
        Name = options.Name;
        TimeProvider = options.TimeProvider;
        Limits = options.DocumentLimits;
        MaxCollections = options.MaxCollections;
        KeepsTraces = options.KeepTraces;
        if (options.Compress)
            Zstd.Demand("Storing documents compressed");
        Bodies = new DocumentBodies(options.Name, options.Compress);
        _newGuid = options.NewGuid ?? (() => Guid.CreateVersion7(TimeProvider.GetUtcNow()));
        Storage = StorageEnvironment.Open(
            options.Storage with
            {
                Path = options.Path,
                Files = options.Files,
                TimeProvider = options.TimeProvider,
                LoggerFactory = options.LoggerFactory,
                KeepsLife = true,
            }
        );
        IsReplica = options.Storage.IsReplica;
        Storage.Committed += OnCommitted;
        Storage.RoleChanged += OnRoleChanged;
        Revisions = new DatabaseRevisions(this, options.LoggerFactory);
        Expiration = new DatabaseExpiration(this, options.LoggerFactory);
        Attachments = new DatabaseAttachments(this, options);
        Consumers = new DatabaseConsumers(this, options);
        Events = new EventStore(this, options.Events);
    }

    /// <summary>The name, for people and logs.</summary>
    public string Name { get; }

    /// <summary>
    /// Whether documents keep the trace that they were written in: <see cref="DocumentStorageOptions.KeepTraces"/>.
    /// </summary>
    public bool KeepsTraces { get; }

    /// <summary>The unique and permanent id of this database.</summary>
    public DatabaseId Id { get; private set; }

    /// <summary>The storage below.</summary>
    public StorageEnvironment Storage { get; }

    /// <summary>Files that belong to documents.</summary>
    public DatabaseAttachments Attachments { get; }

    /// <summary>Which versions of the documents are kept.</summary>
    public DatabaseRevisions Revisions { get; }

    /// <summary>Deletion and refresh of documents at a given time.</summary>
    public DatabaseExpiration Expiration { get; }

    /// <summary>The events of streams, and their snapshots.</summary>
    public EventStore Events { get; }

    /// <summary>Who follows the change feed, what waits for each, and the tombstones that are kept for them.</summary>
    public DatabaseConsumers Consumers { get; }

    /// <summary>The time, by the database's clock.</summary>
    public DateTimeOffset UtcNow => TimeProvider.GetUtcNow();

    internal string IdText { get; private set; } = "";

    internal TimeProvider TimeProvider { get; }

    internal JsonLimits Limits { get; }

    internal int MaxCollections { get; }

    internal DocumentBodies Bodies { get; }

    internal CollectionNames Collections { get; } = new();

    internal long SizeOnDisk
    {
        get
        {
            var figures = Storage.GetStatistics();
            return figures.DataFileBytes + figures.UnflushedJournalBytes;
        }
    }

    /// <summary>Opens a snapshot of the latest commit.</summary>
    /// <param name="owner">The reader's name in statistics; the calling member's name by default.</param>
    /// <returns>The snapshot, to be disposed of.</returns>
    public DatabaseSnapshot OpenSnapshot([System.Runtime.CompilerServices.CallerMemberName] string owner = "")
    {
        CheckOpen();
        return new DatabaseSnapshot(this, Storage.BeginRead(owner));
    }

    /// <summary>Closes the database. Accepted writes become durable, and waits for changes end with an error.</summary>
    /// <returns>Done when closed.</returns>
    public async ValueTask DisposeAsync()
    {
        if (Interlocked.Exchange(ref _disposed, 1) != 0)
            return;
        EndTerm();
        await ((IAsyncDisposable)Expiration).DisposeAsync().ConfigureAwait(false);
        await ((IAsyncDisposable)Consumers).DisposeAsync().ConfigureAwait(false);
        await CloseIndexesAsync().ConfigureAwait(false);
        await ((IAsyncDisposable)Revisions).DisposeAsync().ConfigureAwait(false);
        FailWaiters();
        Storage.Committed -= OnCommitted;
        Storage.RoleChanged -= OnRoleChanged;
        Storage.Dispose();
        GC.SuppressFinalize(this);
    }

    internal Guid NewGuid() => _newGuid();

    /// <summary>Reads what the storage holds, or makes it; before anything else.</summary>
    internal void Load()
    {
        if (IsReplica)
        {
            _options.Revisions?.Validate();
            _options.Expiration?.Validate();
            Refresh();
            return;
        }

        LoadNames();
        Attachments.Load();
        Revisions.Load(_options.Revisions);
        Expiration.Load(_options.Expiration);
        LoadLineages();
    }

    /// <summary>Starts the work in the background; after <see cref="Load"/>, and after the indexes are open.</summary>
    internal void Start()
    {
        Revisions.Start();
        Expiration.Start();
        Consumers.Start(_options.TombstonePurgeInterval);
    }

    /// <summary>The indexes follow the change feed, too: the position up to which each needs nothing more.</summary>
    internal abstract IReadOnlyList<(string Name, long Position)> GetIndexPositions();

    /// <summary>Has the indexes follow the definitions of an accepted state; a replica calls it after each commit.</summary>
    internal abstract void RefreshIndexes(DatabaseSnapshot accepted);

    /// <summary>Has the indexes match the accepted definitions before this node takes writes as leader.</summary>
    internal abstract Task PrepareIndexesAsync();

    /// <summary>Takes up what the leader does for indexes, where the last leader left it.</summary>
    internal abstract void TakeOverIndexes(CancellationToken ended);

    /// <summary>Ends the indexes. Nothing follows the change feed then.</summary>
    internal abstract ValueTask CloseIndexesAsync();

    internal void CheckOpen() => ObjectDisposedException.ThrowIf(_disposed != 0, this);

    private void LoadNames()
    {
        using (var transaction = Storage.BeginRead())
        {
            if (TryLoad(transaction))
                return;
        }

        // This process holds the folder, so no other can make the id at the same time. The id is durable before anyone
        // sees it.
        var id = _newGuid().ToByteArray();
        var lineages = DatabaseLineages.Initial.OfLife(Storage.Life).ToBytes();
        Storage
            .WriteAsync(transaction =>
            {
                var meta = transaction.CreateTree(DatabaseTrees.Meta);
                meta.Put("database-id"u8, id);
                meta.Put(LineagesKey, lineages);
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
