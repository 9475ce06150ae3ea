namespace Pipeline.Client.Transport;

/// <summary>
/// A connected worker of a subscription. For one caller at a time. Disposal leaves the subscription, and has left it
/// when it completes.
/// </summary>
internal interface ISubscriptionConnection : IAsyncDisposable
{
    /// <summary>How often a change is delivered before it is parked.</summary>
    int MaxAttempts { get; }

    /// <summary>Is cancelled when the worker has lost the subscription.</summary>
    CancellationToken Ended { get; }

    /// <summary>Waits for changes. The batch before must have been acknowledged.</summary>
    /// <returns>A batch; <see langword="null"/> if nothing is left and the options say that it ends then.</returns>
    /// <exception cref="SubscriptionException">The worker has lost the subscription.</exception>
    ValueTask<DeliveredBatch?> NextAsync(CancellationToken cancellationToken);

    /// <summary>Acknowledges the last batch except for some items; durable when it completes.</summary>
    /// <exception cref="SubscriptionException">The worker has lost the subscription.</exception>
    Task AcknowledgeAsync(IReadOnlyList<Unsettled> except, CancellationToken cancellationToken);
}

/// <summary>An item that is delivered again.</summary>
/// <param name="Index">Its index in the batch.</param>
/// <param name="Reason">Why it was rejected; <see langword="null"/> if it was only given back.</param>
internal readonly record struct Unsettled(int Index, string? Reason);

/// <summary>The changes delivered to a worker.</summary>
/// <param name="Items">The changes.</param>
/// <param name="Includes">The documents that the subscription includes.</param>
/// <param name="Resync">The place in a resync.</param>
internal sealed record DeliveredBatch(
    IReadOnlyList<DeliveredItem> Items,
    IReadOnlyList<DocumentData> Includes,
    SubscriptionResync? Resync
);

/// <summary>A change as JSON.</summary>
internal sealed record DeliveredItem(string Id, string Collection, string ChangeVector, DateTimeOffset LastModified)
{
    /// <summary>The document with its metadata, or a projection's result; empty for a deletion.</summary>
    public ReadOnlyMemory<byte> Json { get; init; }

    /// <summary>The version before, with its metadata; empty without one.</summary>
    public ReadOnlyMemory<byte> Previous { get; init; }

    public bool PreviousIsKnown { get; init; }

    public bool IsDeleted { get; init; }

    public bool IsProjection { get; init; }

    public int Attempts { get; init; }
}

/// <summary>A subscription's definition.</summary>
/// <param name="Name">The name.</param>
/// <param name="Collection">The collection; not used with a query.</param>
/// <param name="Options">The rest.</param>
internal sealed record SubscriptionTerms(string Name, string Collection, SubscriptionOptions Options);
