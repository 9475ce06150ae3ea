namespace Pipeline.Client.Transport;

/// <summary>How a store reaches its database: in the process or over HTTP. Implementations are thread-safe.</summary>
internal interface IDocumentTransport : IAsyncDisposable
{
    /// <summary>Loads a document by its id.</summary>
    /// <returns>The document; <see langword="null"/> if there is none.</returns>
    ValueTask<DocumentData?> LoadAsync(string id, CancellationToken cancellationToken);

    /// <summary>Loads documents by their ids, and those that they refer to.</summary>
    /// <param name="ids">The ids.</param>
    /// <param name="includes">Paths to members that hold ids of other documents.</param>
    /// <param name="cancellationToken">Cancels the call.</param>
    /// <returns>The documents that exist.</returns>
    ValueTask<IReadOnlyList<DocumentData>> LoadAsync(
        IReadOnlyList<string> ids,
        IReadOnlyList<string> includes,
        CancellationToken cancellationToken
    );

    /// <summary>Executes commands, then actions, in one transaction.</summary>
    /// <exception cref="ConcurrencyException">
    /// A document or a compare-exchange value is not in the expected version; nothing is stored.
    /// </exception>
    /// <exception cref="PatchException">A script fails; nothing is stored.</exception>
    /// <exception cref="AttachmentSaveException">
    /// An attachment cannot be stored or is missing; nothing is stored.
    /// </exception>
    ValueTask<SaveAnswer> SaveAsync(
        IReadOnlyList<SaveCommand> commands,
        IReadOnlyList<SaveAction> actions,
        CancellationToken cancellationToken
    );

    /// <summary>Loads documents and runs queries with one request.</summary>
    ValueTask<FetchAnswer> FetchAsync(FetchRequest request, CancellationToken cancellationToken);

    /// <summary>Changes or deletes each document that a query finds.</summary>
    /// <param name="query">The query; with <c>update { … }</c> unless the documents are deleted.</param>
    /// <param name="deletes">Whether the documents are deleted.</param>
    /// <param name="cancellationToken">Stops it between two transactions.</param>
    /// <returns>How many documents the query found.</returns>
    /// <exception cref="QueryException">The database refuses the query.</exception>
    /// <exception cref="PatchException">The script fails. Transactions before stay.</exception>
    Task<long> ChangeByQueryAsync(RqlQuery query, bool deletes, CancellationToken cancellationToken);

    /// <summary>Opens an attachment.</summary>
    /// <returns>The attachment; <see langword="null"/> if there is none.</returns>
    ValueTask<AttachmentData?> OpenAttachmentAsync(string id, string name, CancellationToken cancellationToken);

    /// <summary>The attachments of a document.</summary>
    ValueTask<IReadOnlyList<AttachmentInfo>> ListAttachmentsAsync(string id, CancellationToken cancellationToken);

    /// <summary>Reads versions of documents, newest first.</summary>
    ValueTask<IReadOnlyList<RevisionData>> RevisionsAsync(RevisionRequest request, CancellationToken cancellationToken);

    /// <summary>Reads a compare-exchange value.</summary>
    /// <returns>The value; <see langword="null"/> if there is none.</returns>
    ValueTask<CompareExchangeData?> CompareExchangeAsync(string key, CancellationToken cancellationToken);

    /// <summary>Reads compare-exchange values whose keys begin with a text, in the order of their keys.</summary>
    ValueTask<IReadOnlyList<CompareExchangeData>> ListCompareExchangeAsync(
        string prefix,
        int skip,
        int take,
        CancellationToken cancellationToken
    );

    /// <summary>Runs a query.</summary>
    /// <exception cref="QueryException">The database refuses the query.</exception>
    ValueTask<QueryReply> QueryAsync(RqlQuery query, CancellationToken cancellationToken);

    /// <summary>Runs a query and returns its results one by one, in constant memory.</summary>
    /// <exception cref="QueryException">The database refuses the query.</exception>
    IAsyncEnumerable<DocumentData> StreamAsync(RqlQuery query, CancellationToken cancellationToken);

    /// <summary>Begins a stream of documents.</summary>
    IBulkWriter OpenBulk();

    /// <summary>Creates or changes an index.</summary>
    /// <exception cref="IndexException">The database refuses it.</exception>
    ValueTask PutIndexAsync(IndexText index, CancellationToken cancellationToken);

    /// <summary>Takes a range of numbers from which ids are made.</summary>
    /// <param name="tag">Whose ids they are: <c>orders</c>.</param>
    /// <param name="lastSize">The size of the former range; 0 for the first.</param>
    /// <param name="cancellationToken">Cancels the call.</param>
    ValueTask<IdRange> NextRangeAsync(string tag, long lastSize, CancellationToken cancellationToken);

    /// <summary>Stores a subscription's definition.</summary>
    /// <param name="definition">The definition.</param>
    /// <param name="isNew">Whether the name must be free; otherwise an existing subscription is changed.</param>
    /// <param name="cancellationToken">Cancels the call.</param>
    /// <exception cref="SubscriptionException">It cannot be stored.</exception>
    Task DefineSubscriptionAsync(SubscriptionTerms definition, bool isNew, CancellationToken cancellationToken);

    /// <summary>Deletes a subscription, if it exists.</summary>
    Task DeleteSubscriptionAsync(string name, CancellationToken cancellationToken);

    /// <summary>Pauses or resumes a subscription.</summary>
    /// <exception cref="SubscriptionException">There is none.</exception>
    Task SetPausedAsync(string name, bool isPaused, CancellationToken cancellationToken);

    /// <summary>The state of one subscription, or of all without a name.</summary>
    /// <exception cref="SubscriptionException">There is none of this name.</exception>
    Task<IReadOnlyList<SubscriptionState>> SubscriptionStatesAsync(string? name, CancellationToken cancellationToken);

    /// <summary>Connects a worker. Waits for its place as the strategy says.</summary>
    /// <exception cref="SubscriptionException">It is refused, or the server cannot be reached.</exception>
    Task<ISubscriptionConnection> ConnectAsync(
        string subscription,
        SubscribeOptions options,
        CancellationToken cancellationToken
    );

    /// <summary>Appends events to a stream: all of them or none.</summary>
    /// <returns>The number of the stream's last event.</returns>
    /// <exception cref="ConcurrencyException">The stream's last number is another one than expected.</exception>
    /// <exception cref="EventAppendException">The database refuses an event.</exception>
    Task<long> AppendEventsAsync(EventAppend append, CancellationToken cancellationToken);

    /// <summary>The number of a stream's last event; 0 without any.</summary>
    Task<long> LastEventNumberAsync(string streamId, CancellationToken cancellationToken);

    /// <summary>Reads some events of a stream, from a number on.</summary>
    Task<EventRows> ReadStreamAsync(string streamId, long from, CancellationToken cancellationToken);

    /// <summary>Reads some events of all streams, after a position.</summary>
    Task<EventRows> ReadEventsAsync(long after, CancellationToken cancellationToken);

    /// <summary>Waits until the database has a change after a position.</summary>
    Task WaitForChangeAsync(long after, CancellationToken cancellationToken);
}

/// <summary>A change that a save sends.</summary>
/// <param name="Id">The document's id; <see langword="null"/> lets the database make one.</param>
/// <param name="Json">The document with its metadata in UTF-8; <see langword="null"/> deletes it.</param>
/// <param name="ExpectedChangeVector">
/// The version that must be stored: <see langword="null"/> is any, an empty text is none.
/// </param>
internal readonly record struct SaveCommand(string? Id, ReadOnlyMemory<byte>? Json, string? ExpectedChangeVector);

/// <summary>A saved document's new version.</summary>
internal readonly record struct SavedDocument(string Id, string? ChangeVector, DateTimeOffset? LastModified);

/// <summary>A query.</summary>
/// <param name="Text">RQL.</param>
/// <param name="Parameters">An object in UTF-8 JSON with the values of the text's parameters.</param>
internal sealed record RqlQuery(string Text, ReadOnlyMemory<byte> Parameters)
{
    /// <summary>How many results are left out at the beginning.</summary>
    public long Skip { get; init; }

    /// <summary>How many results there may be.</summary>
    public int Take { get; init; } = int.MaxValue;

    /// <summary>How long the query waits for the index; zero does not wait.</summary>
    public TimeSpan Wait { get; init; }

    /// <summary>Whether it waits for all changes, and not only for those of its store.</summary>
    public bool WaitsForAll { get; init; }

    /// <summary>The query with the store's wait, unless it has its own.</summary>
    public RqlQuery WaitingBy(DocumentStoreOptions options) =>
        WaitsForAll ? this : this with { Wait = options.QueryWait };
}

/// <summary>A query's results.</summary>
/// <param name="Items">The results.</param>
/// <param name="Includes">The included documents.</param>
/// <param name="Statistics">Total, index and staleness.</param>
internal sealed record QueryReply(
    IReadOnlyList<DocumentData> Items,
    IReadOnlyList<DocumentData> Includes,
    QueryStatistics Statistics
);

/// <summary>
/// Numbers from <paramref name="Low"/> to <paramref name="High"/>, both included, for this client only.
/// </summary>
internal readonly record struct IdRange(string Prefix, long Low, long High, string Suffix);
