using System.Buffers.Binary;
using System.Security.Cryptography;
using Pipeline.Storage;

namespace Pipeline.Backups.Running;

/// <summary>
/// The SHA-256 of one transaction: its number, time, sizes and page changes. Every node of a cluster applies the same
/// bytes, so the hash is the same on all of them, while the checksum of a journal entry is the node's own.
/// </summary>
internal static class EntryHash
{
    private const int HeaderBytes = 44;

    /// <summary>Computes it, as lower-case hexadecimal digits.</summary>
    /// <param name="state">The store as of the transaction. Its checksum and mark are not used.</param>
    /// <param name="count">The number of records.</param>
    /// <param name="records">The records, decrypted and decompressed.</param>
    public static string Of(LogState state, int count, ReadOnlySpan<byte> records)
    {
        Span<byte> header = stackalloc byte[HeaderBytes];
        BinaryPrimitives.WriteInt64LittleEndian(header, state.Transaction);
        BinaryPrimitives.WriteInt64LittleEndian(header[8..], state.PageCount);
        BinaryPrimitives.WriteInt64LittleEndian(header[16..], state.FreePages);
        BinaryPrimitives.WriteInt64LittleEndian(header[24..], state.CatalogRoot);
        BinaryPrimitives.WriteInt64LittleEndian(header[32..], state.Ticks);
        BinaryPrimitives.WriteInt32LittleEndian(header[40..], count);
        using var hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
        hash.AppendData(header);
        hash.AppendData(records);
        return Convert.ToHexStringLower(hash.GetHashAndReset());
    }
}
