using System.Buffers.Binary;

namespace Pipeline.Storage;

/// <summary>The catalog's record of a tree, without its name.</summary>
internal struct TreeState : IEquatable<TreeState>
{
    /// <summary>Bytes of a catalog entry's value.</summary>
    public const int Size = 48;

    /// <summary>The page of the root; only compaction gives it another one.</summary>
    public long Root;

    /// <summary>Keys in the tree.</summary>
    public long Count;

    public long LeafPages;
    public long BranchPages;

    /// <summary>Pages of all overflow runs together.</summary>
    public long OverflowPages;

    /// <summary>Levels, leaves included: 1 where the root is a leaf.</summary>
    public int Depth;

    public static bool TryRead(ReadOnlySpan<byte> value, out TreeState state)
    {
        state = default;
        if (value.Length != Size)
            return false;
        state.Root = BinaryPrimitives.ReadInt64LittleEndian(value);
        state.Count = BinaryPrimitives.ReadInt64LittleEndian(value.Slice(8));
        state.LeafPages = BinaryPrimitives.ReadInt64LittleEndian(value.Slice(16));
        state.BranchPages = BinaryPrimitives.ReadInt64LittleEndian(value.Slice(24));
        state.OverflowPages = BinaryPrimitives.ReadInt64LittleEndian(value.Slice(32));
        state.Depth = BinaryPrimitives.ReadInt32LittleEndian(value.Slice(40));
        return true;
    }

    public readonly void Write(Span<byte> value)
    {
        BinaryPrimitives.WriteInt64LittleEndian(value, Root);
        BinaryPrimitives.WriteInt64LittleEndian(value.Slice(8), Count);
        BinaryPrimitives.WriteInt64LittleEndian(value.Slice(16), LeafPages);
        BinaryPrimitives.WriteInt64LittleEndian(value.Slice(24), BranchPages);
        BinaryPrimitives.WriteInt64LittleEndian(value.Slice(32), OverflowPages);
        BinaryPrimitives.WriteInt32LittleEndian(value.Slice(40), Depth);
        BinaryPrimitives.WriteInt32LittleEndian(value.Slice(44), 0);
    }

    public readonly bool Equals(TreeState other) =>
        Root == other.Root
        && Count == other.Count
        && LeafPages == other.LeafPages
        && BranchPages == other.BranchPages
        && OverflowPages == other.OverflowPages
        && Depth == other.Depth;

    public override readonly bool Equals(object? obj) => obj is TreeState other && Equals(other);

    public override readonly int GetHashCode() => HashCode.Combine(Root, Count, Depth);
}
