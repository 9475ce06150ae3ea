using System.Buffers.Binary;

namespace Pipeline.Indexing;

/// <summary>
/// Order by terms. A term's sort number comes from its first eight bytes and is cached, so whole terms are compared
/// only if they begin alike.
/// </summary>
internal sealed class TermSort(QueryExecution execution, IndexField field, bool alphanumeric) : SortSource
{
    private const int CacheBytes = 40;

    private readonly ColumnReader _terms = execution.Column(field, ColumnKind.Term);
    private readonly Dictionary<int, long> _keys = [];
    private readonly byte[] _left = new byte[IndexTerm.MaxLength];

    public override bool IsExact => false;

    public override void Encode(ReadOnlySpan<int> entries, ReadOnlySpan<float> scores, Span<long> keys)
    {
        for (var i = 0; i < entries.Length; i++)
            keys[i] = _terms.TryGet(entries[i], out var number) ? KeyOf((int)number) : Missing;
    }

    public override int Compare(int left, int right)
    {
        var (hasLeft, hasRight) = (_terms.TryGet(left, out var leftNumber), _terms.TryGet(right, out var rightNumber));
        if (!hasLeft || !hasRight)
            return hasLeft.CompareTo(hasRight);
        if (leftNumber == rightNumber)
            return 0;
        var term = execution.Reader.GetTerm(field, (int)leftNumber);
        term.CopyTo(_left);
        var other = execution.Reader.GetTerm(field, (int)rightNumber);
        return alphanumeric
            ? AlphanumericOrder.Compare(_left.AsSpan(0, term.Length), other)
            : _left.AsSpan(0, term.Length).SequenceCompareTo(other);
    }

    private long KeyOf(int number)
    {
        if (_keys.TryGetValue(number, out var key))
            return key;
        execution.Memory.Reserve(CacheBytes, "sort by terms");
        var term = execution.Reader.GetTerm(field, number);
        key = alphanumeric ? AlphanumericOrder.Key(term) : Key(term);
        _keys.Add(number, key);
        return key;
    }

    private static long Key(ReadOnlySpan<byte> term)
    {
        Span<byte> head = stackalloc byte[8];
        head.Clear();
        term[..Math.Min(8, term.Length)].CopyTo(head);
        return (long)(BinaryPrimitives.ReadUInt64BigEndian(head) ^ (1UL << 63));
    }
}
