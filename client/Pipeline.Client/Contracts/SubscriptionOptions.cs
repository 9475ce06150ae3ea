namespace Pipeline.Client;

/// <summary>What a subscription delivers, and how it treats documents that its workers reject. Immutable.</summary>
public sealed partial record SubscriptionOptions
{
    /// <summary>
    /// A C# expression over <c>doc</c>, <c>id</c>, <c>metadata</c> and <c>load(id)</c> that the database evaluates:
    /// <c>doc.Total > 1000</c>. Only documents for which it is true are delivered. A server accepts C# only from
    /// clients that may send it scripts; others give a <see cref="Query"/>.
    /// </summary>
    public string? Filter { get; init; }

    /// <summary>
    /// A query in RQL in place of the class's collection and of <see cref="Filter"/>: <c>from Orders where Total > 1000
    /// include Company</c>. A batch's sessions load included documents without a request.
    /// </summary>
    public string? Query { get; init; }

    /// <summary>
    /// A C# expression whose result is delivered in place of the document: <c>new { doc.Company, doc.Total }</c>. Its
    /// class is that of the worker.
    /// </summary>
    public string? Projection { get; init; }

    /// <summary>Whether deletions are delivered too. The filter does not apply to them.</summary>
    public bool Deletes { get; init; }

    /// <summary>
    /// Whether every version is delivered with the one before it, deletions included, in place of the last version of
    /// each document. The database must keep revisions of the collection.
    /// </summary>
    public bool Revisions { get; init; }

    /// <summary>
    /// A document is parked as a dead letter once workers have rejected it this many times. Default 5.
    /// </summary>
    public int MaxAttempts { get; init; } = 5;

    /// <summary>
    /// The delay before a rejected document is delivered again; it doubles with each further rejection. Default 1 s.
    /// </summary>
    public TimeSpan RetryDelay { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>The longest delay between two attempts. Default 1 min.</summary>
    public TimeSpan MaxRetryDelay { get; init; } = TimeSpan.FromMinutes(1);

    /// <summary>
    /// Whether later changes of a parked document are parked too until it is released, so that they never overtake it.
    /// </summary>
    public bool HoldParkedKeys { get; init; }

    /// <summary>
    /// Whether a new subscription begins with changes after its creation, and not with the documents that exist.
    /// </summary>
    public bool SkipsExisting { get; init; }

    /// <summary>How far the subscription may lag; <see langword="null"/> keeps everything for it.</summary>
    public SubscriptionLagLimit? MaxLag { get; init; }
}

/// <summary>How far a subscription may lag, and what happens beyond that. Immutable.</summary>
public sealed record SubscriptionLagLimit
{
    /// <summary>The greatest age of the oldest waiting change; <see langword="null"/> for no limit.</summary>
    public TimeSpan? Age { get; init; }

    /// <summary>The most waiting changes; <see langword="null"/> for no limit.</summary>
    public long? Changes { get; init; }

    /// <summary>The most bytes of waiting changes; <see langword="null"/> for no limit.</summary>
    public long? Bytes { get; init; }

    /// <summary>What happens beyond a limit.</summary>
    public SubscriptionLagAction Then { get; init; }
}

/// <summary>What happens to a subscription that lags too far.</summary>
public enum SubscriptionLagAction
{
    /// <summary>Everything is kept for it, and the database's health is degraded.</summary>
    Keep,

    /// <summary>
    /// Nothing more is kept for it. A worker that connects gets all documents again, between two marks
    /// (<see cref="SubscriptionResync"/>).
    /// </summary>
    PauseAndResync,

    /// <summary>It is deleted.</summary>
    Drop,
}

/// <summary>A batch's place in a resync: a subscription that lagged too far gets all documents again.</summary>
public enum SubscriptionResync
{
    /// <summary>The resync begins with this batch, which has no items. Deletions were missed.</summary>
    Begin,

    /// <summary>Documents of the resync.</summary>
    Snapshot,

    /// <summary>
    /// The resync ends with this batch, which has no items. A copy must drop the documents that did not come again.
    /// </summary>
    End,
}
