using Pipeline.Database.Events;
using Pipeline.Database.Json;
using Pipeline.Storage;

namespace Pipeline.Database;

/// <summary>Documents in collections, every change of which has a position. Thread-safe.</summary>
/// <remarks>
/// A write's task completes when the write is durable. What snapshots, batches and positions promise is told in engine/README.md.
/// One process at a time has a data folder open.
/// </remarks>
public sealed partial class DocumentDatabase : IAsyncDisposable
{
    private readonly Func<Guid> _newGuid;
    private readonly Queries.QueryRunner _queries;
    private int _disposed;

    private DocumentDatabase(DatabaseOptions options)
    {
        Name = options.Name;
        TimeProvider = options.TimeProvider;
        Limits = options.DocumentLimits;
        MaxCollections = options.MaxCollections;
        KeepsTraces = options.KeepTraces;
        if (options.Compress) Zstd.Demand("Storing documents compressed");
        Bodies = new DocumentBodies(options.Name, options.Compress);
        _newGuid = options.NewGuid ?? (() => Guid.CreateVersion7(TimeProvider.GetUtcNow()));
        Storage = StorageEnvironment.Open(options.Storage with
        {
            Path = options.Path,
            Files = options.Files,
            TimeProvider = options.TimeProvider,
            LoggerFactory = options.LoggerFactory,
            KeepsLife = true,
        });
        Storage.Committed += OnCommitted;
        Revisions = new DatabaseRevisions(this, options.LoggerFactory);
        Expiration = new DatabaseExpiration(this, options.LoggerFactory);
        Attachments = new DatabaseAttachments(this, options);
        Indexes = new Indexes.DatabaseIndexes(this, options);
        _queries = new Queries.QueryRunner(this, Indexes, options.QueryWait > TimeSpan.Zero ? new Queries.Catalog.IndexWait(options.QueryWait) : null);
        Consumers = new DatabaseConsumers(this, options);
        Events = new EventStore(this, options.Events);
    }

    /// <summary>The name, for people and logs.</summary>
    public string Name { get; }

    /// <summary>Whether documents keep the trace that they were written in: <see cref="DatabaseOptions.KeepTraces"/>.</summary>
    public bool KeepsTraces { get; }

    /// <summary>What tells this database from every other, for ever.</summary>
    public DatabaseId Id { get; private set; }

    /// <summary>The storage below.</summary>
    public StorageEnvironment Storage { get; }

    /// <summary>The indexes of the documents.</summary>
    public Indexes.DatabaseIndexes Indexes { get; }

    /// <summary>Files that belong to documents.</summary>
    public DatabaseAttachments Attachments { get; }

    /// <summary>Which versions of the documents are kept.</summary>
    public DatabaseRevisions Revisions { get; }

    /// <summary>Documents that are deleted or stored anew at a time.</summary>
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
            StorageStatistics figures = Storage.GetStatistics();
            return figures.DataFileBytes + figures.UnflushedJournalBytes;
        }
    }

    /// <summary>Opens a database, making it where there is none.</summary>
    /// <param name="options">Where it lies, and limits.</param>
    /// <returns>The open database.</returns>
    /// <exception cref="StorageException">The folder is in use, of a newer format, damaged, or cannot be read.</exception>
    public static DocumentDatabase Open(DatabaseOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        var database = new DocumentDatabase(options);
        try
        {
            database.Load();
            database.LoadLineages();
            database.Attachments.Load();
            database.Revisions.Load(options.Revisions);
            database.Expiration.Load(options.Expiration);
            database.Indexes.Load();
            database.Revisions.Start();
            database.Expiration.Start();
            database.Consumers.Start(options.TombstonePurgeInterval);
            return database;
        }
        catch
        {
            database.Storage.Dispose();
            throw;
        }
    }

    /// <summary>Opens the database as it is now.</summary>
    /// <param name="owner">Who reads, as statistics show it; the calling member's name where none is given.</param>
    /// <returns>The snapshot, to be disposed of.</returns>
    public DatabaseSnapshot OpenSnapshot([System.Runtime.CompilerServices.CallerMemberName] string owner = "")
    {
        CheckOpen();
        return new DatabaseSnapshot(this, Storage.BeginRead(owner));
    }

    /// <summary>Closes the database: what was handed over is made durable, waits for changes end with an error.</summary>
    /// <returns>Done when closed.</returns>
    public async ValueTask DisposeAsync()
    {
        if (Interlocked.Exchange(ref _disposed, 1) != 0) return;
        await ((IAsyncDisposable)Expiration).DisposeAsync().ConfigureAwait(false);
        await ((IAsyncDisposable)Consumers).DisposeAsync().ConfigureAwait(false);
        await ((IAsyncDisposable)Indexes).DisposeAsync().ConfigureAwait(false);
        await ((IAsyncDisposable)Revisions).DisposeAsync().ConfigureAwait(false);
        FailWaiters();
        Storage.Committed -= OnCommitted;
        Storage.Dispose();
    }

    internal Guid NewGuid() => _newGuid();

    private void Load()
    {
        using (ReadTransaction transaction = Storage.BeginRead())
        {
            if (TryLoad(transaction)) return;
        }

        // The folder is ours alone, so nobody else can be making the id now. It is durable before anyone sees it.
        byte[] id = _newGuid().ToByteArray();
        byte[] lineages = DatabaseLineages.Initial.OfLife(Storage.Life).ToBytes();
        Storage.WriteAsync(transaction =>
        {
            Tree meta = transaction.CreateTree(DatabaseTrees.Meta);
            meta.Put("database-id"u8, id);
            meta.Put(LineagesKey, lineages);
        }).GetAwaiter().GetResult();
        using ReadTransaction written = Storage.BeginRead();
        if (!TryLoad(written)) throw new DatabaseCorruptException(Name, "the database's id was written but is not there");
    }

    private bool TryLoad(ReadTransaction transaction)
    {
        if (!transaction.TryOpenTree(DatabaseTrees.Meta, out Tree? meta) || !meta.TryGet("database-id"u8, out ReadOnlySpan<byte> id)) return false;
        if (id.Length != 16) throw new DatabaseCorruptException(Name, $"the database's id has {id.Length} bytes, not 16");
        Id = new DatabaseId(new Guid(id));
        IdText = Id.ToString();
        Advance(DatabasePositions.Last(transaction));
        if (transaction.TryOpenTree(DatabaseTrees.Collections, out Tree? names))
        {
            for (int number = 1; number <= names.Count / 2; number++)
            {
                string name = CollectionNames.Name(number, transaction, Collections, Name);
                Collections.Add(name, number, name);
            }
        }

        return true;
    }

    private void CheckOpen() => ObjectDisposedException.ThrowIf(_disposed != 0, this);
}
