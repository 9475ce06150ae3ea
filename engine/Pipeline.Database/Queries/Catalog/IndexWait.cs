namespace Pipeline.Database.Queries.Catalog;

/// <summary>How fresh an index must be before a query reads it.</summary>
/// <param name="Timeout">
/// How long to wait at most. Then a query goes on with what there is, and its result says so (<see cref="QueryResult.IsStale"/>);
/// a stream throws <see cref="StaleIndexException"/>.
/// </param>
/// <param name="Position">The position that the index must show, as of the user's last write; null for all changes there are when the wait begins.</param>
public sealed record IndexWait(TimeSpan Timeout, long? Position = null)
{
    /// <summary>The default timeout: 15 s.</summary>
    public static readonly TimeSpan DefaultTimeout = TimeSpan.FromSeconds(15);

    /// <summary>No wait: the index is read as it is.</summary>
    public static IndexWait None { get; } = new(TimeSpan.Zero);

    /// <summary>Waits for a position, at most <see cref="DefaultTimeout"/>.</summary>
    /// <param name="position">The position, as of a write.</param>
    public static IndexWait For(long position) => new(DefaultTimeout, position);
}
