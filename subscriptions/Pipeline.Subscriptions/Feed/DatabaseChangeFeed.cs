using Pipeline.Database;
using Pipeline.Documents;

namespace Pipeline.Subscriptions;

/// <summary>
/// A document database's change feed. Thread-safe; the database must outlive it and is not closed by it.
/// </summary>
public sealed class DatabaseChangeFeed : IChangeFeed
{
    private readonly DocumentDatabase _database;
    private string? _databaseId;

    /// <summary>Creates the feed of a database.</summary>
    public DatabaseChangeFeed(DocumentDatabase database)
    {
        ArgumentNullException.ThrowIfNull(database);
        _database = database;
    }

    /// <inheritdoc/>
    public string DatabaseName => _database.Name;

    /// <inheritdoc/>
    /// <remarks>A replica that has read nothing of its log has no id yet.</remarks>
    public string DatabaseId =>
        _databaseId
        ?? (_database.Id == default ? default(DatabaseId).ToString() : _databaseId = _database.Id.ToString());

    /// <inheritdoc/>
    public long LastPosition => _database.LastPosition;

    /// <inheritdoc/>
    public DatabaseLineages Lineages => _database.Lineages;

    /// <inheritdoc/>
    public Task BeginLineageAsync(
        DatabaseLineages known,
        long first,
        string reason,
        CancellationToken cancellationToken
    ) => _database.BeginLineageAsync(known, first, reason, cancellationToken);

    /// <inheritdoc/>
    public Task WaitForChangeAsync(long after, CancellationToken cancellationToken) =>
        _database.WaitForChangeAsync(after, cancellationToken);

    /// <inheritdoc/>
    public RunMarker OpenRunMarker(string owner) => _database.OpenRunMarker(owner);

    /// <inheritdoc/>
    public IFeedSnapshot OpenSnapshot() => OpenSnapshot("feed");

    /// <inheritdoc/>
    public IFeedSnapshot OpenSnapshot(string owner) =>
        new DatabaseFeedSnapshot(_database.OpenSnapshot(owner), DatabaseId);

    /// <inheritdoc/>
    public async Task RegisterAsync(string name, CursorFilter filter, CancellationToken cancellationToken)
    {
        if (_database.Consumers.List().Any(c => Is(c, name) && c.PositionKey == name && filter.IsOf(c)))
            return;
        await _database
            .WriteAsync(
                transaction =>
                    transaction.SetConsumer(
                        filter.ToConsumer(name, name, transaction.GetConsumer(name)?.Since ?? _database.UtcNow)
                    ),
                cancellationToken
            )
            .ConfigureAwait(false);

        static bool Is(FeedConsumer consumer, string name) =>
            consumer.Name.Equals(name, StringComparison.OrdinalIgnoreCase);
    }

    /// <inheritdoc/>
    public Task UnregisterAsync(string name, CancellationToken cancellationToken) =>
        _database.Consumers.RemoveAsync(name, cancellationToken);

    /// <inheritdoc/>
    public ConsumerStatus? Measure(string name) => _database.Consumers.Measure(name);

    /// <inheritdoc/>
    public Task CommitAsync(FeedCommit commit, CancellationToken cancellationToken) =>
        _database.WriteAsync(
            transaction =>
            {
                foreach ((var id, var json) in commit.Documents)
                    transaction.Put(id, json.Span);
                foreach ((var id, var position) in commit.Effects.Deletes)
                {
                    if (position == 0 || transaction.TryGet(id, out var document) && document.Position == position)
                    {
                        transaction.Delete(id);
                    }
                }

                foreach ((var key, var value) in commit.Effects.States)
                {
                    if (value.IsEmpty)
                        transaction.DeleteState(key);
                    else
                        transaction.SetState(key, value.Span);
                }

                if (commit.StateKey is not null)
                    transaction.SetState(commit.StateKey, commit.State.Span);
            },
            cancellationToken
        );
}
