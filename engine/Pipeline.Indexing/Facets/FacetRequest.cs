namespace Pipeline.Indexing;

/// <summary>The counts wanted of a query's entries. Immutable.</summary>
/// <param name="Field">The field whose values or numbers are counted.</param>
public abstract record FacetRequest(string Field)
{
    /// <summary>The fields whose numbers are added up and compared for each value or range.</summary>
    public IReadOnlyList<string> Aggregates { get; init; } = [];
}
