namespace Pipeline.Storage;

/// <summary>
/// Gives pages of another store that is equal to this one page by page, so that damaged pages are repaired from it.
/// Must be thread-safe.
/// </summary>
public interface IPageSource
{
    /// <summary>Fetches a page, or a whole run by its first page.</summary>
    /// <param name="page">The page's number.</param>
    /// <param name="transaction">The copy must be as of this transaction or a later one.</param>
    /// <param name="ct">Ends the attempt.</param>
    /// <returns>The copy; null if no other store can give it now.</returns>
    Task<PageCopy?> FetchAsync(long page, long transaction, CancellationToken ct);
}

/// <summary>A page or run of another store.</summary>
/// <param name="Bytes">Its bytes, decrypted: 8192 for each page, with header and checksum.</param>
/// <param name="Transaction">The transaction of the snapshot that it was read in.</param>
/// <param name="Source">The name of the other store, for people.</param>
public sealed record PageCopy(ReadOnlyMemory<byte> Bytes, long Transaction, string Source);
