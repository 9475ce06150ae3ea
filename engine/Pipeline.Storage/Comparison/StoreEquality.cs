using System.Buffers.Binary;
using System.Security.Cryptography;

namespace Pipeline.Storage;

/// <summary>The first difference between two stores.</summary>
/// <param name="Page">The page; null if the stores' states differ, not their pages.</param>
/// <param name="Reason">The difference.</param>
public sealed record PageDifference(long? Page, string Reason);

/// <summary>
/// Shows whether two stores are equal, page by page, as of one transaction. Meta pages are left out, and so are keys,
/// nonces and journals: each node has its own. Pages of encrypted stores are compared decrypted.
/// </summary>
public static class StoreEquality
{
    /// <summary>Finds the first difference between two stores.</summary>
    /// <param name="left">A snapshot of one store.</param>
    /// <param name="right">A snapshot of the other, as of the same transaction.</param>
    /// <returns>Null if they are equal.</returns>
    /// <exception cref="ArgumentException">The snapshots are as of different transactions.</exception>
    /// <exception cref="CorruptPageException">A page is damaged.</exception>
    public static PageDifference? FindDifference(ReadTransaction left, ReadTransaction right)
    {
        ArgumentNullException.ThrowIfNull(left);
        ArgumentNullException.ThrowIfNull(right);
        var (a, b) = (left.LogState, right.LogState);
        if (a.Transaction != b.Transaction)
        {
            throw new ArgumentException(
                $"One snapshot is as of transaction {a.Transaction}, the other of {b.Transaction}.",
                nameof(right)
            );
        }

        if (Described(a) != Described(b))
            return new PageDifference(null, $"one state is {Described(a)}, the other {Described(b)}");
        var (ours, theirs) = (new UsedPages(left), new UsedPages(right));
        while (ours.MoveNext() | theirs.MoveNext())
        {
            var page = Math.Min(ours.Number, theirs.Number);
            if (ours.Number != theirs.Number)
                return new PageDifference(page, "it is in use in one store and free in the other");
            if (ours.Count != theirs.Count)
            {
                return new PageDifference(
                    page,
                    $"its run has {ours.Count} pages in one store and {theirs.Count} in the other"
                );
            }

            var at = ours.Bytes.CommonPrefixLength(theirs.Bytes);
            if (at < ours.Bytes.Length)
                return new PageDifference(page, $"its bytes differ from offset {at} on");
        }
        return null;
    }

    /// <summary>The SHA-256 of a store as of a snapshot. Stores that are equal have the same one.</summary>
    /// <exception cref="CorruptPageException">A page is damaged.</exception>
    public static byte[] Digest(ReadTransaction snapshot)
    {
        ArgumentNullException.ThrowIfNull(snapshot);
        using var hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
        var state = snapshot.LogState;
        Span<byte> number = stackalloc byte[8];
        foreach (
            var value in (ReadOnlySpan<long>)[state.Transaction, state.PageCount, state.FreePages, state.CatalogRoot]
        )
        {
            BinaryPrimitives.WriteInt64LittleEndian(number, value);
            hash.AppendData(number);
        }
        var pages = new UsedPages(snapshot);
        while (pages.MoveNext())
        {
            BinaryPrimitives.WriteInt64LittleEndian(number, pages.Number);
            hash.AppendData(number);
            hash.AppendData(pages.Bytes);
        }
        return hash.GetHashAndReset();
    }

    private static string Described(LogState state) =>
        $"{state.PageCount} pages, {state.FreePages} of them free, catalog at {state.CatalogRoot}";
}
