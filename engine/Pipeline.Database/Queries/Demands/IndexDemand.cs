using Pipeline.Scripting.Indexes;

namespace Pipeline.Database.Queries.Demands;

/// <summary>The demands of a query on an index: which index, or the fields from which one can be made.</summary>
/// <remarks>
/// An automatic index has each field of the demand under a name from <see cref="IndexFieldNames"/>. The usage decides
/// the form: <see cref="FieldUsage.Exact"/>
/// stores the unchanged values; <see cref="FieldUsage.Search"/>, <see cref="FieldUsage.Suggest"/> and
/// <see cref="FieldUsage.Highlight"/> store the words;
/// <see cref="FieldUsage.Spatial"/> stores places; all others store the values without case. An index that groups has
/// an entry for each group, whose stored object has the keys by their paths and the aggregates by their names.
/// </remarks>
public sealed record IndexDemand
{
    /// <summary>The index that the query names; null if it names a collection.</summary>
    public string? IndexName { get; init; }

    /// <summary>The collection; null for an index, and for all documents.</summary>
    public string? Collection { get; init; }

    /// <summary>The fields, each once, in the order of first use.</summary>
    public IReadOnlyList<FieldDemand> Fields { get; init; } = [];

    /// <summary>The keys by which the query groups; empty if it does not group.</summary>
    public IReadOnlyList<GroupKeyDemand> GroupBy { get; init; } = [];

    /// <summary>The aggregates to compute for each group.</summary>
    public IReadOnlyList<AggregateDemand> Aggregates { get; init; } = [];

    /// <summary>
    /// Whether the documents themselves answer the query: nothing is looked up but ids, and there is no order but by
    /// id.
    /// </summary>
    public bool NeedsNoIndex { get; init; }
}
