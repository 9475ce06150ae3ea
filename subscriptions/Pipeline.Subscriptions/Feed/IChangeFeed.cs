namespace Pipeline.Subscriptions;

/// <summary>What a cursor reads and keeps its position in: a document database, or a model of one in tests. Thread-safe.</summary>
public interface IChangeFeed
{
    /// <summary>The database's name.</summary>
    string DatabaseName { get; }

    /// <summary>The database's id, 22 characters.</summary>
    string DatabaseId { get; }

    /// <summary>The position of the last durable commit.</summary>
    long LastPosition { get; }

    /// <summary>Which changes positions stand for.</summary>
    Pipeline.Database.DatabaseLineages Lineages => Pipeline.Database.DatabaseLineages.Initial;

    /// <summary>Begins a lineage, durably: see <see cref="Pipeline.Database.DocumentDatabase.BeginLineageAsync"/>.</summary>
    /// <param name="known">The lineages as they were when the reason was found.</param>
    /// <param name="first">The first position of the new lineage.</param>
    /// <param name="reason">Why it begins.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    Task BeginLineageAsync(Pipeline.Database.DatabaseLineages known, long first, string reason, CancellationToken cancellationToken) => Task.CompletedTask;

    /// <summary>Completes when <see cref="LastPosition"/> is over <paramref name="after"/>.</summary>
    Task WaitForChangeAsync(long after, CancellationToken cancellationToken);

    /// <summary>Opens the state of the last durable commit for reading.</summary>
    IFeedSnapshot OpenSnapshot();

    /// <summary>As <see cref="OpenSnapshot()"/>, for one whose name statistics show.</summary>
    IFeedSnapshot OpenSnapshot(string owner) => OpenSnapshot();

    /// <summary>Opens a cursor where it was left, at the beginning where there is none.</summary>
    /// <param name="name">Its name, for example <c>etl/big-orders</c>.</param>
    /// <param name="filter">Which changes it gives.</param>
    /// <exception cref="CursorStateException">What is kept under the name is not a position.</exception>
    DurableCursor OpenCursor(string name, CursorFilter filter) => DurableCursor.Open(this, name, filter);

    /// <summary>Makes known that a cursor follows the feed, durably: tombstones are kept until it has passed them, and what waits for it is counted.</summary>
    /// <param name="name">The cursor's name.</param>
    /// <param name="filter">Which changes it gives.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    Task RegisterAsync(string name, CursorFilter filter, CancellationToken cancellationToken) => Task.CompletedTask;

    /// <summary>Forgets one that was made known: nothing is kept for it any more. Its position stays.</summary>
    /// <param name="name">The cursor's name.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    Task UnregisterAsync(string name, CancellationToken cancellationToken) => Task.CompletedTask;

    /// <summary>What waits for one that was made known, and is kept because of it; null where there is none of the name, or nobody counts.</summary>
    /// <param name="name">The cursor's name.</param>
    Pipeline.Database.ConsumerStatus? Measure(string name) => null;

    /// <summary>Stores documents and a private state value in one durable transaction; either may be left out.</summary>
    Task CommitAsync(FeedCommit commit, CancellationToken cancellationToken);
}
