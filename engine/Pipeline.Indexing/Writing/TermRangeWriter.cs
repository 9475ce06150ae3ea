using System.Buffers.Binary;
using System.Runtime.InteropServices;
using Pipeline.Storage;

namespace Pipeline.Indexing;

/// <summary>Writes the records and lists of a range of a field's terms.</summary>
/// <remarks>
/// Not thread-safe. Safety of the pointers: a term's occurrences are copied into a buffer of their length, and end
/// there as they were written, so that reading them as they were written does not go beyond it.
/// </remarks>
internal sealed unsafe class TermRangeWriter : IDisposable
{
    private readonly TermMerge _merge;
    private readonly PutLog _terms;
    private readonly PutLog _termIds;
    private readonly PostingListWriter _lists;
    private readonly Tree? _stored;
    private readonly TreeCursor? _postings;
    private readonly TreeCursor? _positions;
    private readonly byte[] _key = new byte[sizeof(ushort) + IndexTerm.MaxLength];
    private readonly byte[] _idKey = new byte[sizeof(ushort) + sizeof(int)];
    private readonly int _end;
    private byte* _buffer;
    private int _bufferSize;

    /// <param name="merge">The field's terms.</param>
    /// <param name="snapshot">The stored index.</param>
    /// <param name="end">Stored entries are less.</param>
    /// <param name="firstList">The first number for new lists.</param>
    /// <param name="newLog">Makes a log for a tree.</param>
    public TermRangeWriter(
        TermMerge merge,
        ReadTransaction snapshot,
        int end,
        ulong firstList,
        Func<string, PutLog> newLog
    )
    {
        _merge = merge;
        _end = end;
        _terms = newLog(IndexTrees.Terms);
        _termIds = newLog(IndexTrees.TermIds);
        _lists = new PostingListWriter(newLog(IndexTrees.Postings), newLog(IndexTrees.Positions), firstList);
        if (snapshot.TryOpenTree(IndexTrees.Terms, out var terms) && terms.Count > 0)
            _stored = terms;
        if (snapshot.TryOpenTree(IndexTrees.Postings, out var postings))
            _postings = postings.OpenCursor();
        if (snapshot.TryOpenTree(IndexTrees.Positions, out var positions))
            _positions = positions.OpenCursor();
        BinaryPrimitives.WriteUInt16BigEndian(_key, (ushort)merge.Field.Number);
        BinaryPrimitives.WriteUInt16BigEndian(_idKey, (ushort)merge.Field.Number);
    }

    ~TermRangeWriter() => NativeMemory.Free(_buffer);

    /// <summary>The number of the next new term.</summary>
    public int NextTermId { get; private set; }

    /// <summary>Writes the terms of a range.</summary>
    /// <param name="from">The first of the merge's terms.</param>
    /// <param name="to">The end.</param>
    /// <param name="nextTermId">The number of the first new term.</param>
    /// <param name="ids">Takes the number of each term, by batch and index there; null where terms have none.</param>
    public void Write(int from, int to, int nextTermId, int[]?[]? ids)
    {
        NextTermId = nextTermId;
        var terms = _merge.Terms.AsSpan(from, to - from);
        for (var i = 0; i < terms.Length; )
        {
            var count = 1;
            while (i + count < terms.Length && terms[i + count].IsSame(terms[i]))
                count++;
            var id = WriteTerm(terms.Slice(i, count), ids is not null);
            for (; count > 0; count--, i++)
            {
                if (ids is not null)
                    ids[terms[i].Batch]![terms[i].Index] = id;
            }
        }
    }

    public void Dispose()
    {
        _postings?.Dispose();
        _positions?.Dispose();
        NativeMemory.Free(_buffer);
        _buffer = null;
        GC.SuppressFinalize(this);
    }

    private int WriteTerm(ReadOnlySpan<SortedTerm> same, bool hasIds)
    {
        var term = same[0].Bytes;
        var key = _key.AsSpan(0, sizeof(ushort) + term.Length);
        term.CopyTo(key[sizeof(ushort)..]);
        var isReserved = term.Length > 0 && term[0] == IndexTerm.Reserved;
        var id = -1;
        if (_stored is not null && _stored.TryGet(key, out var record))
        {
            _lists.Load(record, _end, _postings!, _positions!);
            id = _lists.Id;
        }
        else
        {
            if (hasIds && !isReserved)
                id = NextTermId;
            _lists.Begin(isReserved || !_merge.IsSearched ? PostingFlags.None : FlagsOf(_merge.Field.Options), id);
        }

        foreach (var one in same)
        {
            var occurrences = _merge[one];
            Read(occurrences);
            if (isReserved || !_merge.IsSearched)
                AddEntries(one.Batch, occurrences->Length);
            else
                AddOccurrences(one.Batch, occurrences->Length);
        }

        var written = _lists.End();
        if (written.IsEmpty)
            return -1;
        _terms.Put(key, written);
        if (id >= 0 && id == NextTermId)
        {
            BinaryPrimitives.WriteInt32BigEndian(_idKey.AsSpan(sizeof(ushort)), id);
            _termIds.Put(_idKey, term);
            NextTermId++;
        }

        return id;
    }

    private void Read(BatchTerm* term)
    {
        if (_bufferSize < term->Length)
        {
            _bufferSize = Math.Max(term->Length, 64 << 10);
            _buffer = (byte*)NativeMemory.Realloc(_buffer, (nuint)_bufferSize);
        }

        TermTable.CopyOccurrences(term, _buffer);
    }

    private void AddEntries(int batch, int length)
    {
        var at = _buffer;
        var end = _buffer + length;
        var entry = -1;
        while (at < end)
        {
            entry += (int)VarInt.Read(ref at);
            if (!_merge.IsDead(batch, entry))
                _lists.Add(_merge.Base(batch) + entry, 1, 1);
        }
    }

    private void AddOccurrences(int batch, int length)
    {
        var hasPositions = _merge.Field.Options.Positions;
        var hasDead = _merge.HasDead(batch);
        var lengths = _merge.Lengths(batch);
        var first = _merge.Base(batch);
        var lists = _lists;
        var at = _buffer;
        var end = _buffer + length;
        var entry = -1;
        while (at < end)
        {
            entry += (int)(VarInt.Read(ref at) >> 1);
            var isDead = hasDead && _merge.IsDead(batch, entry);
            var keep = hasPositions && !isDead;
            uint position = 0;
            if (hasPositions)
                position = (uint)VarInt.Read(ref at);
            if (keep)
                lists.AddPosition(position);
            var frequency = 1;
            // A first number that is even continues the same entry.
            for (; at < end && (*at & 1) == 0; frequency++)
            {
                position += (uint)(VarInt.Read(ref at) >> 1);
                if (keep)
                    lists.AddPosition(position);
            }

            if (!isDead)
                lists.Add(first + entry, frequency, Math.Min(lengths[entry], PostingLayout.MaxImpact));
        }
    }

    private static PostingFlags FlagsOf(FieldOptions options) =>
        options.Positions ? PostingFlags.Frequencies | PostingFlags.Positions : PostingFlags.Frequencies;
}
