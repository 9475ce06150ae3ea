namespace Pipeline.Indexing;

/// <summary>The counts wanted of a query's entries. Immutable.</summary>
/// <param name="Field">The field whose values or numbers are counted.</param>
public abstract record FacetRequest(string Field)
{
    /// <summary>The fields whose numbers are added up and compared for each value or range.</summary>
    public IReadOnlyList<string> Aggregates { get; init; } = [];
}

/// <summary>
/// Counts by value: terms of a field that is not analysed. An entry with several values counts for each.
/// </summary>
/// <param name="Field">The field.</param>
public sealed record ValueFacet(string Field) : FacetRequest(Field);

/// <summary>
/// Counts by ranges of numbers, which may overlap. An entry with several numbers counts once for each range that one of
/// them lies in.
/// </summary>
/// <param name="Field">The field.</param>
/// <param name="Ranges">The ranges.</param>
public sealed record RangeFacet(string Field, IReadOnlyList<FacetRange> Ranges) : FacetRequest(Field);

/// <summary>A range of numbers to count in.</summary>
/// <param name="Name">What it is called in the result.</param>
/// <param name="Low">The lower bound; <see cref="NumericKey.Min"/> for none.</param>
/// <param name="High">The upper bound; <see cref="NumericKey.Max"/> for none.</param>
/// <param name="IncludeLow">Whether the lower bound itself is within.</param>
/// <param name="IncludeHigh">Whether the upper bound itself is within.</param>
public sealed record FacetRange(
    string Name,
    NumericKey Low,
    NumericKey High,
    bool IncludeLow = true,
    bool IncludeHigh = false
)
{
    internal bool Contains(NumericKey key) =>
        (IncludeLow ? key >= Low : key > Low) && (IncludeHigh ? key <= High : key < High);
}

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
