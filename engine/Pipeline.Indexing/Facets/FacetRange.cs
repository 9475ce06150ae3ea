namespace Pipeline.Indexing;

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
