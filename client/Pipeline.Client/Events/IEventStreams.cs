namespace Pipeline.Client;

/// <summary>
/// The database's event streams, with events as objects. An event is stored once and never changes. Thread-safe.
/// </summary>
public interface IEventStreams
{
    /// <summary>Appends events to a stream: all of them or none.</summary>
    /// <param name="streamId">The stream: 1 to 512 bytes of UTF-8. It is created with its first event.</param>
    /// <param name="events">
    /// The events. Each class has a name: <see cref="EventNameAttribute"/>, or its own name.
    /// </param>
    /// <param name="options">What the stream must be like, and what goes with the events.</param>
    /// <param name="cancellationToken">Stops the wait; the events may still be appended.</param>
    /// <returns>The number of the stream's last event, once it is durable.</returns>
    /// <exception cref="ConcurrencyException">The stream has other events than expected. Nothing is stored.</exception>
    /// <exception cref="EventAppendException">The database refuses an event. Nothing is stored.</exception>
    Task<long> AppendAsync(
        string streamId,
        IReadOnlyList<object> events,
        AppendOptions? options = null,
        CancellationToken cancellationToken = default
    );

    /// <summary>The number of a stream's last event; 0 without any. Deleted events count.</summary>
    /// <param name="streamId">The stream.</param>
    /// <param name="cancellationToken">Cancels the call.</param>
    Task<long> GetLastNumberAsync(string streamId, CancellationToken cancellationToken = default);

    /// <summary>Reads the events of a stream, in order, to its end.</summary>
    /// <param name="streamId">The stream.</param>
    /// <param name="from">The first number.</param>
    /// <param name="cancellationToken">Cancels the call.</param>
    IAsyncEnumerable<StreamEvent> ReadAsync(
        string streamId,
        long from = 1,
        CancellationToken cancellationToken = default
    );

    /// <summary>Reads the events of all streams, in the order of their commits, to the last one.</summary>
    /// <param name="after">The position of the last event that is known; 0 reads all.</param>
    /// <param name="cancellationToken">Cancels the call.</param>
    IAsyncEnumerable<StreamEvent> ReadAllAsync(long after = 0, CancellationToken cancellationToken = default);

    /// <summary>Reads the events of all streams, and then each new one when it is durable. Never ends by itself.</summary>
    /// <param name="after">The position of the last event that is known; 0 reads all.</param>
    /// <param name="cancellationToken">Ends it with an <see cref="OperationCanceledException"/>.</param>
    IAsyncEnumerable<StreamEvent> FollowAsync(long after = 0, CancellationToken cancellationToken = default);

    /// <summary>Builds the document of one stream from its events, without storing it.</summary>
    /// <param name="projection">How events change the document.</param>
    /// <param name="streamId">The stream.</param>
    /// <param name="cancellationToken">Cancels the call.</param>
    /// <returns>The document; <see langword="null"/> if no event made one, or the last one deleted it.</returns>
    /// <exception cref="ProjectionException">The projection fails at an event.</exception>
    Task<TDocument?> BuildAsync<TDocument>(
        DocumentProjection<TDocument> projection,
        string streamId,
        CancellationToken cancellationToken = default
    )
        where TDocument : class, new();

    /// <summary>
    /// Stores the documents of a projection. Each event counts exactly once: one transaction holds the documents and
    /// the progress. Several runs of one projection, also in several processes, do not disturb each other.
    /// </summary>
    /// <param name="projection">How events change documents.</param>
    /// <param name="untilCurrent">Whether to end when every event counts; otherwise it waits for new ones.</param>
    /// <param name="cancellationToken">Ends it with an <see cref="OperationCanceledException"/>.</param>
    /// <returns>How many events changed documents.</returns>
    /// <exception cref="ProjectionException">
    /// The projection fails at an event. Nothing of that transaction is stored; the next run repeats it.
    /// </exception>
    Task<long> ProjectAsync<TDocument>(
        DocumentProjection<TDocument> projection,
        bool untilCurrent = false,
        CancellationToken cancellationToken = default
    )
        where TDocument : class, new();
}

/// <summary>What an append expects, and what goes with its events.</summary>
public sealed record AppendOptions
{
    /// <summary>
    /// The number of the stream's last event; 0 for a stream that must be new; <see langword="null"/> for any.
    /// </summary>
    public long? ExpectedNumber { get; init; }

    /// <summary>Tags of the events.</summary>
    public IReadOnlyList<string> Tags { get; init; } = [];

    /// <summary>
    /// A collection: each event is a document there, too, for queries, tasks and subscriptions;
    /// <see langword="null"/> for none.
    /// </summary>
    public string? Collection { get; init; }
}
