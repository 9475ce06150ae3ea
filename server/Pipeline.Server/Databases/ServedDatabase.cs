using Pipeline.Database;
using Pipeline.Database.Queries.Catalog;
using Pipeline.Server.Changes;
using Pipeline.Server.Operations;
using Pipeline.Server.Settings;
using Pipeline.Subscriptions;

namespace Pipeline.Server.Databases;

/// <summary>A database with the server's state for it. Thread-safe.</summary>
internal sealed class ServedDatabase : IAsyncDisposable
{
    private readonly Lazy<SubscriptionHost> _subscriptions;

    /// <summary>Creates one for a database that the server opened.</summary>
    public ServedDatabase(string name, DocumentDatabase database, ServerOptions options, ChangesMemory changes)
        : this(
            name,
            database,
            options,
            changes,
            isOwned: true,
            new(() =>
                SubscriptionHost.Open(
                    database,
                    new SubscriptionHostOptions
                    {
                        Time = options.Time,
                        Loggers = options.Loggers,
                        NeedsRevisions = false,
                    }
                )
            )
        ) { }

    /// <summary>Creates one for a database that another part of the process has open.</summary>
    public ServedDatabase(SharedDatabase shared, ServerOptions options, ChangesMemory changes)
        : this(shared.Database.Name, shared.Database, options, changes, isOwned: false, new(shared.Subscriptions)) { }

    private ServedDatabase(
        string name,
        DocumentDatabase database,
        ServerOptions options,
        ChangesMemory changes,
        bool isOwned,
        Lazy<SubscriptionHost> subscriptions
    )
    {
        (Name, Database, Time, IsOwned, _subscriptions) = (name, database, options.Time, isOwned, subscriptions);
        QueryWait = options.QueryWait is { } wait ? new IndexWait(wait) : IndexWait.None;
        Record = new DatabaseRecord(database);
        Operations = new OperationLog(options.Time);
        Changes = new ChangesFeed(database, Operations, changes);
    }

    /// <summary>The name as spelled at creation.</summary>
    public string Name { get; }

    /// <summary>The documents.</summary>
    public DocumentDatabase Database { get; }

    /// <summary>Whether the server created it, so that it may delete it and must close it.</summary>
    public bool IsOwned { get; }

    /// <summary>The clock.</summary>
    public TimeProvider Time { get; }

    /// <summary>How fresh an index must be for a query, unless the client says so.</summary>
    public IndexWait QueryWait { get; }

    /// <summary>Its subscriptions, opened on first use.</summary>
    public SubscriptionHost Subscriptions => _subscriptions.Value;

    /// <summary>Notifies clients of changes.</summary>
    public ChangesFeed Changes { get; }

    /// <summary>Operations that continue after their request was answered.</summary>
    public OperationLog Operations { get; }

    /// <summary>Files that are being sent to clients.</summary>
    public DownloadLog Downloads { get; } = new();

    /// <summary>The settings that clients stored.</summary>
    public DatabaseRecord Record { get; }

    /// <summary>
    /// Whether a client has stopped all indexes, and none has started them again. Clients can stop individual indexes
    /// independently.
    /// </summary>
    public bool IsIndexingStopped { get; set; }

    /// <summary>Stops the operations and closes what the server opened.</summary>
    public async ValueTask DisposeAsync()
    {
        await Operations.StopAsync().ConfigureAwait(false);
        Changes.Dispose();
        if (!IsOwned)
            return;
        if (_subscriptions.IsValueCreated)
            await _subscriptions.Value.DisposeAsync().ConfigureAwait(false);
        await Database.DisposeAsync().ConfigureAwait(false);
    }
}
