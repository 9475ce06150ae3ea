namespace Pipeline.Database.Queries.Catalog;

/// <summary>How fresh an index must be before a query reads it.</summary>
/// <param name="Timeout">
/// The longest wait. If it ends too soon, a query reads the stale index, and its result says so
/// (<see cref="QueryResult.IsStale"/>). A stream throws <see cref="StaleIndexException"/>.
/// </param>
/// <param name="Position">
/// The position that the index must show, such as that of the user's last write; null for all changes that exist when
/// the wait begins.
/// </param>
public sealed record IndexWait(TimeSpan Timeout, long? Position = null)
{
    /// <summary>The default timeout: 15 s.</summary>
    public static readonly TimeSpan DefaultTimeout = TimeSpan.FromSeconds(15);

    /// <summary>The query reads the index without waiting.</summary>
    public static IndexWait None { get; } = new(TimeSpan.Zero);

    /// <summary>Waits for a position, at most <see cref="DefaultTimeout"/>.</summary>
    /// <param name="position">The position, as of a write.</param>
    public static IndexWait For(long position) => new(DefaultTimeout, position);
}
