using System.Buffers.Binary;
using System.Text;
using Pipeline.Json;
using Pipeline.Storage;

namespace Pipeline.Documents;

/// <summary>
/// The tree of compare-exchange values. The key is in lower case; the value holds index (8), bytes of the key (2), key
/// as written, and value as binary JSON.
/// </summary>
internal static class CompareExchangeEntry
{
    internal const int MaxKeyBytes = 512;

    internal static byte[] TreeKey(string key)
    {
        ArgumentException.ThrowIfNullOrEmpty(key);
        var lower = DocumentKeys.LowerPrefix(key);
        return Encoding.UTF8.GetByteCount(key) <= MaxKeyBytes
            ? lower
            : throw new CompareExchangeKeyException(key, MaxKeyBytes);
    }

    internal static CompareExchangeValue? Find(Transaction transaction, string key, string database) =>
        transaction.TryOpenTree(DatabaseTrees.CompareExchange, out var tree) && tree.TryGet(TreeKey(key), out var bytes)
            ? Read(bytes, database)
            : null;

    internal static CompareExchangeValue Read(ReadOnlySpan<byte> bytes, string database)
    {
        int length;
        if (bytes.Length < 10 || 10 + (length = BinaryPrimitives.ReadUInt16LittleEndian(bytes[8..])) > bytes.Length)
        {
            throw new DatabaseCorruptException(
                database,
                $"a compare-exchange value of {bytes.Length} bytes is cut short"
            );
        }

        return new CompareExchangeValue(
            Encoding.UTF8.GetString(bytes.Slice(10, length)),
            BinaryPrimitives.ReadInt64LittleEndian(bytes),
            new BinaryJson(bytes[(10 + length)..].ToArray())
        );
    }

    internal static byte[] ToBytes(CompareExchangeValue value)
    {
        var key = Encoding.UTF8.GetBytes(value.Key);
        var bytes = new byte[10 + key.Length + value.Value.Data.Length];
        BinaryPrimitives.WriteInt64LittleEndian(bytes, value.Index);
        BinaryPrimitives.WriteUInt16LittleEndian(bytes.AsSpan(8), (ushort)key.Length);
        key.CopyTo(bytes, 10);
        value.Value.Data.Span.CopyTo(bytes.AsSpan(10 + key.Length));
        return bytes;
    }
}
