namespace Pipeline.Indexing;

/// <summary>A small list in its term's record, read in place.</summary>
/// <remarks>
/// Safety of the pointers: <see cref="Open"/> checks that entries, frequencies and positions lie within the record.
/// </remarks>
internal readonly unsafe struct InlinePostings
{
    private readonly byte* _entries;
    private readonly byte* _frequencies;
    private readonly int _entriesWidth;
    private readonly int _frequenciesWidth;
    private readonly int _last;
    private readonly bool _hasFrequencies;

    private InlinePostings(byte* at, int length, in TermRecord record)
    {
        var left = length - record.Offset;
        at += record.Offset;
        Count = record.DocumentFrequency;
        _last = record.LastEntry;
        _hasFrequencies = record.HasFrequencies;
        var header = 1 + (record.HasFrequencies ? 1 : 0) + (record.HasPositions ? 1 : 0);
        if (Count >= BlockCodec.Length || left < header)
            throw Damaged();
        _entriesWidth = *at++;
        _frequenciesWidth = record.HasFrequencies ? *at++ : 0;
        PositionsWidth = record.HasPositions ? *at++ : 0;
        left -= header;
        if (_entriesWidth > 31 || _frequenciesWidth > 32 || PositionsWidth > 32)
            throw Damaged();
        var entries = BitPacking.Size(Count, _entriesWidth);
        var frequencies = BitPacking.Size(Count, _frequenciesWidth);
        if (entries + frequencies > left)
            throw Damaged();
        _entries = at;
        _frequencies = at + entries;
        Positions = _frequencies + frequencies;
        PositionsLength = left - entries - frequencies;
    }

    public int Count { get; }

    public byte* Positions { get; }

    public int PositionsLength { get; }

    public int PositionsWidth { get; }

    /// <summary>Opens the list of a record.</summary>
    /// <exception cref="IndexCorruptException">It is damaged.</exception>
    public static InlinePostings Open(byte* record, int length, in TermRecord term) => new(record, length, term);

    /// <summary>Unpacks the entries, up to 127.</summary>
    public void ReadEntries(int* target)
    {
        if (!PostingBlock.ReadEntries(_entries, Count, _entriesWidth, -1, _last, target))
            throw Damaged();
    }

    /// <summary>Unpacks the frequencies, up to 127.</summary>
    public void ReadFrequencies(uint* target)
    {
        if (_hasFrequencies)
            PostingBlock.ReadFrequencies(_frequencies, Count, _frequenciesWidth, target);
        else
            new Span<uint>(target, Count).Fill(1);
    }

    private static IndexCorruptException Damaged() =>
        IndexTrees.Corrupt(IndexTrees.Terms, default, "a list in a term's record is damaged");
}
