using System.Buffers.Binary;
using Pipeline.Storage;

namespace Pipeline.Documents;

/// <summary>The numbers in tree <c>meta</c>, 8 bytes each: the last number given; 0 if there is none.</summary>
internal static class MetaCounter
{
    /// <summary>Gives the next number under a key.</summary>
    internal static long Next(WriteTransaction transaction, ReadOnlySpan<byte> key) =>
        Move(transaction, key, static last => last + 1);

    /// <summary>The number under a key.</summary>
    internal static long Read(Transaction transaction, ReadOnlySpan<byte> key) =>
        transaction.TryOpenTree(DatabaseTrees.Meta, out var meta) && meta.TryGet(key, out var value)
            ? BinaryPrimitives.ReadInt64LittleEndian(value)
            : 0;

    /// <summary>Replaces the number under a key by a function's result for it.</summary>
    internal static long Move(WriteTransaction transaction, ReadOnlySpan<byte> key, Func<long, long> move)
    {
        var meta = transaction.CreateTree(DatabaseTrees.Meta);
        var next = move(meta.TryGet(key, out var value) ? BinaryPrimitives.ReadInt64LittleEndian(value) : 0);
        BinaryPrimitives.WriteInt64LittleEndian(meta.Reserve(key, 8), next);
        return next;
    }
}
