using Pipeline.Database;
using Pipeline.Database.Queries.Catalog;
using Pipeline.Server.Changes;
using Pipeline.Subscriptions;

namespace Pipeline.Server.Hosting;

/// <summary>A database with what the server keeps beside it. Thread-safe.</summary>
internal sealed class ServedDatabase : IAsyncDisposable
{
    private readonly Lazy<SubscriptionHost> _subscriptions;

    /// <summary>A database that the server opened itself.</summary>
    public ServedDatabase(string name, DocumentDatabase database, ServerOptions options)
        : this(name, database, options, isOwned: true, new(() => SubscriptionHost.Open(database, new SubscriptionHostOptions { Time = options.Time, Loggers = options.Loggers, NeedsRevisions = false })))
    {
    }

    /// <summary>A database that another part of the process has open.</summary>
    public ServedDatabase(SharedDatabase shared, ServerOptions options)
        : this(shared.Database.Name, shared.Database, options, isOwned: false, new(shared.Subscriptions))
    {
    }

    private ServedDatabase(string name, DocumentDatabase database, ServerOptions options, bool isOwned, Lazy<SubscriptionHost> subscriptions)
    {
        (Name, Database, Time, IsOwned, _subscriptions) = (name, database, options.Time, isOwned, subscriptions);
        QueryWait = options.QueryWait is { } wait ? new IndexWait(wait) : IndexWait.None;
        Record = new DatabaseRecord(database);
        Operations = new OperationLog(options.Time);
        Changes = new ChangesFeed(database, Operations);
    }

    /// <summary>The name, as it was spelled when it was made.</summary>
    public string Name { get; }

    /// <summary>The documents.</summary>
    public DocumentDatabase Database { get; }

    /// <summary>Whether the server made it, so that it may delete it and must close it.</summary>
    public bool IsOwned { get; }

    /// <summary>The clock.</summary>
    public TimeProvider Time { get; }

    /// <summary>How fresh an index must be for a query whose client does not say.</summary>
    public IndexWait QueryWait { get; }

    /// <summary>Its subscriptions, opened when they are first asked for.</summary>
    public SubscriptionHost Subscriptions => _subscriptions.Value;

    /// <summary>Tells clients what changes.</summary>
    public ChangesFeed Changes { get; }

    /// <summary>Work that goes on after its request was answered.</summary>
    public OperationLog Operations { get; }

    /// <summary>What clients have set beside the documents.</summary>
    public DatabaseRecord Record { get; }

    /// <summary>Whether a client has stopped all indexes at once, and none has started them again. Single ones may be stopped beside that.</summary>
    public bool IsIndexingStopped { get; set; }

    /// <summary>Ends the operations and closes what the server opened.</summary>
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
