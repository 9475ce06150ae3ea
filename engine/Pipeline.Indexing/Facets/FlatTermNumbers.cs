namespace Pipeline.Indexing;

/// <summary>
/// A field's term numbers as one array, 0 for entries without a term, else the number plus one: where facets are counted again and again in one snapshot, an entry
/// then takes one load. It is made once as many entries have been counted as it has places, so making it never costs more than what was done before.
/// </summary>
internal sealed class FlatTermNumbers(ColumnReader column, int entries, int terms)
{
    private const int MaxEntries = 32 << 20;

    private ushort[]? _numbers;
    private long _counted;

    /// <summary>The array; null as long as it is not worth making, or if the index is too large for it.</summary>
    /// <param name="count">How many entries are about to be counted.</param>
    public ushort[]? Get(int count)
    {
        if (_numbers is not null || terms >= ushort.MaxValue || entries > MaxEntries || (_counted += count) < entries) return _numbers;
        var numbers = new ushort[entries];
        for (var chunk = 0; chunk < column.ChunkCount; chunk++) Copy(column.GetChunk(chunk), numbers.AsSpan(chunk * ColumnChunk.Capacity));
        return _numbers = numbers;
    }

    private static void Copy(in ColumnChunk chunk, Span<ushort> numbers)
    {
        if (!chunk.Exists) return;
        for (var i = 0; i < chunk.Count; i++)
            if (chunk.TryGet(i, out var number)) numbers[i] = (ushort)(number + 1);
    }
}
