namespace Pipeline.Database.Queries.Catalog;

/// <summary>How fresh an index must be before a query reads it.</summary>
/// <param name="Timeout">
/// The longest wait. After it, a query reads the index as it is, and its result is stale (<see cref="QueryResult.IsStale"/>).
/// A stream throws <see cref="StaleIndexException"/>.
/// </param>
/// <param name="Position">The position that the index must show, as of the user's last write; null for all changes there are when the wait begins.</param>
public sealed record IndexWait(TimeSpan Timeout, long? Position = null)
{
    /// <summary>The default timeout: 15 s.</summary>
    public static readonly TimeSpan DefaultTimeout = TimeSpan.FromSeconds(15);

    /// <summary>The query reads the index as it is.</summary>
    public static IndexWait None { get; } = new(TimeSpan.Zero);

    /// <summary>Waits for a position, at most <see cref="DefaultTimeout"/>.</summary>
    /// <param name="position">The position, as of a write.</param>
    public static IndexWait For(long position) => new(DefaultTimeout, position);
}
