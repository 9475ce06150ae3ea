using Pipeline.Database;

namespace Pipeline.Subscriptions;

/// <summary>A document database's change feed. Thread-safe; the database must outlive it and is not closed by it.</summary>
public sealed class DatabaseChangeFeed : IChangeFeed
{
    private readonly DocumentDatabase _database;

    /// <summary>Makes the feed of a database.</summary>
    public DatabaseChangeFeed(DocumentDatabase database)
    {
        ArgumentNullException.ThrowIfNull(database);
        _database = database;
        DatabaseId = database.Id.ToString();
    }

    /// <inheritdoc/>
    public string DatabaseName => _database.Name;

    /// <inheritdoc/>
    public string DatabaseId { get; }

    /// <inheritdoc/>
    public long LastPosition => _database.LastPosition;

    /// <inheritdoc/>
    public Task WaitForChangeAsync(long after, CancellationToken cancellationToken) => _database.WaitForChangeAsync(after, cancellationToken);

    /// <inheritdoc/>
    public IFeedSnapshot OpenSnapshot() => new DatabaseFeedSnapshot(_database.OpenSnapshot(), DatabaseId);

    /// <inheritdoc/>
    public Task CommitAsync(FeedCommit commit, CancellationToken cancellationToken) => _database.WriteAsync(
        transaction =>
        {
            foreach ((string id, ReadOnlyMemory<byte> json) in commit.Documents) transaction.Put(id, json.Span);
            if (commit.StateKey is not null) transaction.SetState(commit.StateKey, commit.State.Span);
        },
        cancellationToken);
}
