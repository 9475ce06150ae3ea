using Pipeline.Database;
using Pipeline.Subscriptions;

namespace Pipeline.Client;

/// <summary>Opens stores on databases in this process.</summary>
public static class EmbeddedStore
{
    /// <summary>
    /// Opens a folder as a database; it is made if it is missing. The store closes it when it is disposed.
    /// </summary>
    /// <param name="path">The folder; <see langword="null"/> keeps everything in memory.</param>
    /// <param name="options">How classes become documents.</param>
    public static IDocumentStore Open(string? path, DocumentStoreOptions? options = null)
    {
        var database = DocumentDatabase.Open(new DatabaseOptions { Path = path, Name = "data" });
        return new DocumentStore(
            new EmbeddedTransport(
                database,
                new Lazy<SubscriptionHost>(() => SubscriptionHost.Open(database)),
                isOwner: true
            ),
            options
        );
    }

    /// <summary>
    /// A store on a database that somebody else opened and closes. It has no subscriptions: a database has one
    /// <see cref="SubscriptionHost"/>, which the other overload takes.
    /// </summary>
    /// <param name="database">The database.</param>
    /// <param name="options">How classes become documents.</param>
    public static IDocumentStore AsStore(this DocumentDatabase database, DocumentStoreOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(database);
        return new DocumentStore(
            new EmbeddedTransport(database, new Lazy<SubscriptionHost>(() => throw NoHost(database)), isOwner: false),
            options
        );
    }

    /// <summary>A store on a database and its subscriptions that somebody else opened and closes.</summary>
    /// <param name="database">The database.</param>
    /// <param name="subscriptions">
    /// The database's subscriptions. There is one host for a database: a worker has it as
    /// <c>PipelineWorker.Subscriptions</c>.
    /// </param>
    /// <param name="options">How classes become documents.</param>
    public static IDocumentStore AsStore(
        this DocumentDatabase database,
        SubscriptionHost subscriptions,
        DocumentStoreOptions? options = null
    )
    {
        ArgumentNullException.ThrowIfNull(database);
        ArgumentNullException.ThrowIfNull(subscriptions);
        return new DocumentStore(
            new EmbeddedTransport(database, new Lazy<SubscriptionHost>(subscriptions), isOwner: false),
            options
        );
    }

    private static InvalidOperationException NoHost(DocumentDatabase database) =>
        new(
            $"This store of the database '{database.Name}' has no subscriptions: pass the database's SubscriptionHost to {nameof(AsStore)}"
        );
}
