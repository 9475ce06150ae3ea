using Pipeline.Documents;

namespace Pipeline.Subscriptions;

/// <summary>
/// The source of a cursor's changes and the store of its position: a document database, or a test model of one.
/// Thread-safe.
/// </summary>
public interface IChangeFeed
{
    /// <summary>The database's name.</summary>
    string DatabaseName { get; }

    /// <summary>The database's id, 22 characters.</summary>
    string DatabaseId { get; }

    /// <summary>The position of the last durable commit.</summary>
    long LastPosition { get; }

    /// <summary>The lineages of the database; they define the changes that a position refers to.</summary>
    DatabaseLineages Lineages => DatabaseLineages.Initial;

    /// <summary>Begins a lineage durably: see <see cref="DocumentStorage.BeginLineageAsync"/>.</summary>
    /// <param name="known">The lineages at the time the reason was found.</param>
    /// <param name="first">The first position of the new lineage.</param>
    /// <param name="reason">Why it begins.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    Task BeginLineageAsync(DatabaseLineages known, long first, string reason, CancellationToken cancellationToken) =>
        Task.CompletedTask;

    /// <summary>Completes when <see cref="LastPosition"/> exceeds <paramref name="after"/>.</summary>
    Task WaitForChangeAsync(long after, CancellationToken cancellationToken);

    /// <summary>Opens the state of the last durable commit for reading.</summary>
    IFeedSnapshot OpenSnapshot();

    /// <summary>
    /// Opens the marker that shows the next process whether this one ended while the code of <paramref name="owner"/>
    /// ran; null if the feed keeps none.
    /// </summary>
    RunMarker? OpenRunMarker(string owner) => null;

    /// <summary>Does the same as <see cref="OpenSnapshot()"/>; statistics show the owner's name.</summary>
    IFeedSnapshot OpenSnapshot(string owner) => OpenSnapshot();

    /// <summary>Opens a cursor at its stored position, or at the beginning if it has none.</summary>
    /// <param name="name">Its name, for example <c>etl/big-orders</c>.</param>
    /// <param name="filter">Which changes it reads.</param>
    /// <exception cref="CursorStateException">The value stored under the name is not a position.</exception>
    DurableCursor OpenCursor(string name, CursorFilter filter) => DurableCursor.Open(this, name, filter);

    /// <summary>
    /// Registers a cursor as a consumer of the feed, durably: tombstones are kept until it has passed them, and its
    /// backlog is counted.
    /// </summary>
    /// <param name="name">The cursor's name.</param>
    /// <param name="filter">Which changes it reads.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    Task RegisterAsync(string name, CursorFilter filter, CancellationToken cancellationToken) => Task.CompletedTask;

    /// <summary>Unregisters a cursor: nothing more is kept for it. Its position stays.</summary>
    /// <param name="name">The cursor's name.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    Task UnregisterAsync(string name, CancellationToken cancellationToken) => Task.CompletedTask;

    /// <summary>
    /// Measures a registered cursor's backlog and the data retained for it; null if the name is unknown or the feed
    /// does not count.
    /// </summary>
    /// <param name="name">The cursor's name.</param>
    ConsumerStatus? Measure(string name) => null;

    /// <summary>Stores documents and a private state value in one durable transaction; either may be omitted.</summary>
    Task CommitAsync(FeedCommit commit, CancellationToken cancellationToken);
}
