namespace Pipeline.Database.Queries.Demands;

/// <summary>What a query needs of an index: which one, or from what one can be made.</summary>
/// <remarks>
/// An automatic index has for each field of the demand, under <see cref="IndexFieldNames"/>: the values as they are where the usage is
/// <see cref="FieldUsage.Exact"/>, the words where it is <see cref="FieldUsage.Search"/>, <see cref="FieldUsage.Suggest"/> or
/// <see cref="FieldUsage.Highlight"/>, places where it is <see cref="FieldUsage.Spatial"/>, and the values without case for all else. One that groups has an entry for each
/// group, whose stored object has the keys by their paths and the aggregates by their names.
/// </remarks>
public sealed record IndexDemand
{
    /// <summary>The index that the query names; null where it names a collection.</summary>
    public string? IndexName { get; init; }

    /// <summary>The collection; null for an index, and for all documents.</summary>
    public string? Collection { get; init; }

    /// <summary>The fields, each once, in the order of first use.</summary>
    public IReadOnlyList<FieldDemand> Fields { get; init; } = [];

    /// <summary>The keys by which the query groups; empty where it does not.</summary>
    public IReadOnlyList<GroupKeyDemand> GroupBy { get; init; } = [];

    /// <summary>What is computed for each group.</summary>
    public IReadOnlyList<AggregateDemand> Aggregates { get; init; } = [];

    /// <summary>Whether the documents themselves answer the query: nothing is looked up but ids, and there is no order but by id.</summary>
    public bool NeedsNoIndex { get; init; }
}
