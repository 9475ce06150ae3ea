using Pipeline.Database.Queries.Demands;
using Pipeline.Scripting.Runtime;

namespace Pipeline.Database.Indexes;

/// <summary>A field of an automatic index.</summary>
/// <param name="Path">
/// Its path in a document: <c>Company</c>, <c>ShipTo.City</c>, <c>Lines[].Product</c>; for a group an aggregate, for a
/// place its canonical text.
/// </param>
/// <param name="Usage">The forms in which it is indexed.</param>
public sealed record AutoIndexField(string Path, AutoFieldUsage Usage = AutoFieldUsage.Compare)
{
    /// <summary>The source of a place; null for a field that is not a place.</summary>
    public SpatialSource? Spatial { get; init; }

    internal static AutoIndexField Of(FieldDemand demand)
    {
        const FieldUsage words = FieldUsage.Search | FieldUsage.Suggest | FieldUsage.Highlight;
        var usage = AutoFieldUsage.None;
        if ((demand.Usage & FieldUsage.Exact) != 0)
            usage |= AutoFieldUsage.Exact;
        if ((demand.Usage & words) != 0)
            usage |= AutoFieldUsage.Search;
        if ((demand.Usage & FieldUsage.Spatial) != 0)
            usage |= AutoFieldUsage.Spatial;
        if ((demand.Usage & ~(FieldUsage.Exact | words | FieldUsage.Spatial)) != 0 || usage == AutoFieldUsage.None)
            usage |= AutoFieldUsage.Compare;
        return new AutoIndexField(demand.Path, usage) { Spatial = demand.Spatial };
    }

    internal IEnumerable<string> NameParts()
    {
        var path = IndexFieldNames.Static(Path);
        if ((Usage & (AutoFieldUsage.Compare | AutoFieldUsage.Spatial)) != 0)
            yield return path;
        if (Usage.HasFlag(AutoFieldUsage.Search))
            yield return $"Search({path})";
        if (Usage.HasFlag(AutoFieldUsage.Exact))
            yield return $"Exact({path})";
    }
}
