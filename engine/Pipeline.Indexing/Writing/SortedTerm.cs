using System.Buffers.Binary;

namespace Pipeline.Indexing;

/// <summary>
/// A byte string of a batch and whose it is, in the order of the bytes; the first eight are compared at once.
/// </summary>
/// <remarks>
/// Safety of the pointer: the string lies in its batch's arena, two bytes of length in front, and the batch outlives
/// the commit.
/// </remarks>
internal readonly unsafe struct SortedTerm : IComparable<SortedTerm>
{
    private readonly ulong _prefix;
    private readonly byte* _key;

    public SortedTerm(byte* key, int index, int batch)
    {
        _key = key;
        Index = index;
        Batch = batch;
        var bytes = Bytes;
        if (bytes.Length >= sizeof(ulong))
        {
            _prefix = BinaryPrimitives.ReadUInt64BigEndian(bytes);
            return;
        }

        for (var i = 0; i < bytes.Length; i++)
            _prefix |= (ulong)bytes[i] << (56 - (i * 8));
    }

    public int Index { get; }

    public int Batch { get; }

    public ReadOnlySpan<byte> Bytes => new(_key + sizeof(ushort), *(ushort*)_key);

    /// <summary>By the bytes, then by the batch.</summary>
    public int CompareTo(SortedTerm other)
    {
        if (_prefix != other._prefix)
            return _prefix < other._prefix ? -1 : 1;
        var order = Bytes.SequenceCompareTo(other.Bytes);
        return order != 0 ? order : Batch.CompareTo(other.Batch);
    }

    public bool IsSame(in SortedTerm other) => _prefix == other._prefix && Bytes.SequenceEqual(other.Bytes);
}
