namespace Pipeline.Indexing;

/// <summary>Figures of a field's texts, for scores; of live entries only.</summary>
/// <param name="Entries">
/// Entries that have texts of the field: N of BM25. Of fields that are not searched: those with any value, deleted ones
/// included until purged.
/// </param>
/// <param name="Tokens">Tokens of all these texts; 0 of fields that are not searched.</param>
public readonly record struct FieldStatistics(long Entries, long Tokens)
{
    /// <summary>Tokens of an entry on average; 0 if there are none.</summary>
    public double AverageLength => Entries == 0 ? 0 : (double)Tokens / Entries;
}
