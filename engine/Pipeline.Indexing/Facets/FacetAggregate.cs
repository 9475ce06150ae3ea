namespace Pipeline.Indexing;

/// <summary>The aggregate of a field's numbers over the entries of a value or range.</summary>
/// <param name="Field">The field.</param>
/// <param name="Count">How many entries have a number in it (of several, the first).</param>
/// <param name="Sum">Their sum.</param>
/// <param name="Min">The least; NaN if there is none.</param>
/// <param name="Max">The greatest; NaN if there is none.</param>
public readonly record struct FacetAggregate(string Field, long Count, double Sum, double Min, double Max)
{
    /// <summary>The average; NaN if there is none.</summary>
    public double Average => Count == 0 ? double.NaN : Sum / Count;
}
