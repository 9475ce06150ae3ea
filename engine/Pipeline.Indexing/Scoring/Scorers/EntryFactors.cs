namespace Pipeline.Indexing;

/// <summary>The factors of entries' scores: the numbers of a field, 1 for an entry without one.</summary>
internal sealed class EntryFactors
{
    private readonly ColumnReader _column;

    public EntryFactors(QueryExecution execution, IndexField field)
    {
        _column = execution.Column(field, ColumnKind.Double);
        Greatest = 1;
        if (execution.Reader.OpenNumbers(field) is not { } numbers)
            return;
        var cursor = execution.Cursor(numbers);
        if (cursor.SeekLast(NumericKey.Max))
            Greatest = Math.Max(1, Bounded(cursor.Key.ToDouble()));
    }

    /// <summary>No factor is greater.</summary>
    public float Greatest { get; }

    // An entry that is deleted may have had a greater one, which is in the column still and no more among the numbers.
    public float this[int entry] =>
        _column.TryGet(entry, out var bits) ? Math.Min(Bounded(BitConverter.Int64BitsToDouble(bits)), Greatest) : 1;

    private static float Bounded(double factor) => (float)Math.Clamp(factor, 0, 1e9);
}
