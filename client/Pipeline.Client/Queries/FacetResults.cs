namespace Pipeline.Client;

/// <summary>The counts of a query.</summary>
/// <param name="Facets">The counts, in the order in which they were asked for.</param>
/// <param name="Statistics">The index, and whether it was behind.</param>
public sealed record FacetResults(IReadOnlyList<FacetResult> Facets, QueryStatistics Statistics)
{
    /// <summary>The count with a name: its member's path, or the name that its options gave.</summary>
    /// <exception cref="KeyNotFoundException">There is none.</exception>
    public FacetResult this[string name] =>
        Facets.FirstOrDefault(f => f.Name == name)
        ?? throw new KeyNotFoundException(
            $"the query has no facet '{name}'; there are {string.Join(", ", Facets.Select(f => $"'{f.Name}'"))}"
        );
}

/// <summary>The values of a member with their counts.</summary>
/// <param name="Name">The member's path, or the name that the options gave.</param>
/// <param name="Values">The values or ranges.</param>
/// <param name="RemainingValues">How many values were left out behind these.</param>
/// <param name="RemainingCount">How many results have values that were left out.</param>
public sealed record FacetResult(
    string Name,
    IReadOnlyList<FacetValue> Values,
    int RemainingValues,
    long RemainingCount
);

/// <summary>A value or range.</summary>
/// <param name="Range">The value as the index has it, texts in lower case; or the range: <c>Total &lt; 10</c>.</param>
/// <param name="Count">How many results have it.</param>
/// <param name="Numbers">What was computed of other members, by their paths.</param>
public sealed record FacetValue(string Range, long Count, IReadOnlyDictionary<string, FacetNumbers> Numbers);

/// <summary>
/// Numbers of a member. Those that were not asked for are <see langword="null"/>, and so are all if no result has a
/// number.
/// </summary>
/// <param name="Sum">The sum.</param>
/// <param name="Min">The least.</param>
/// <param name="Max">The greatest.</param>
/// <param name="Average">The average.</param>
public readonly record struct FacetNumbers(double? Sum, double? Min, double? Max, double? Average);
