namespace Pipeline.Indexing;

/// <summary>
/// A field's term numbers as one array: the number plus one, or 0 for entries without a term. It makes repeated facet
/// counts in one snapshot faster: an entry takes one load. The array is built only after as many entries were counted
/// as it has places, so building it never costs more than the counting did.
/// </summary>
internal sealed class FlatTermNumbers(ColumnReader column, int entries, int terms)
{
    private const int MaxEntries = 32 << 20;

    private ushort[]? _numbers;
    private long _counted;

    /// <summary>Gets the array; null if it is not worth building yet, or if the index is too large for it.</summary>
    /// <param name="count">How many entries are about to be counted.</param>
    public ushort[]? Get(int count)
    {
        if (_numbers is not null || terms >= ushort.MaxValue || entries > MaxEntries || (_counted += count) < entries)
            return _numbers;
        var numbers = new ushort[entries];
        for (var chunk = 0; chunk < column.ChunkCount; chunk++)
            Copy(column.GetChunk(chunk), numbers.AsSpan(chunk * ColumnChunk.Capacity));
        return _numbers = numbers;
    }

    private static void Copy(in ColumnChunk chunk, Span<ushort> numbers)
    {
        if (!chunk.Exists)
            return;
        for (var i = 0; i < chunk.Count; i++)
        {
            if (chunk.TryGet(i, out var number))
                numbers[i] = (ushort)(number + 1);
        }
    }
}
