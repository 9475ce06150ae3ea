using Microsoft.Extensions.Logging.Abstractions;
using Pipeline.Documents.Events;
using Pipeline.Storage;

namespace Pipeline.Documents;

public abstract partial class DocumentStorage : IAsyncDisposable
{
    private readonly DocumentStorageOptions _options;

    /// <summary>Opens the storage and reads nothing; <see cref="Load"/> does.</summary>
    internal DocumentStorage(DocumentStorageOptions options)
    {
        _options = options;
        Name = options.Name;
        TimeProvider = options.TimeProvider;
        Limits = options.DocumentLimits;
        MaxCollections = options.MaxCollections;
        KeepsTraces = options.KeepTraces;
        Logger = (options.LoggerFactory ?? NullLoggerFactory.Instance).CreateLogger("Pipeline.Database");
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
        Attachments = new DatabaseAttachments(this, options.MaxAttachmentBytes, options.LoggerFactory);
        Consumers = new DatabaseConsumers(this, options.LoggerFactory);
        Events = new EventStore(this, options.Events);
        RefreshAfterCommit(StaleCache.Revisions, accepted => Revisions.Refresh(accepted.Stored));
        RefreshAfterCommit(StaleCache.Expiration, accepted => Expiration.Refresh(accepted.Stored));
        RefreshAfterCommit(StaleCache.Lineages, accepted => RefreshLineages(accepted.Stored));
        RefreshAfterCommit(StaleCache.Indexes, RefreshIndexes);
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
}
