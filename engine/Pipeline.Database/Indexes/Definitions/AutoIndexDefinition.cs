using System.Security.Cryptography;
using System.Text;
using System.Text.Json.Serialization;
using Pipeline.Database.Queries.Demands;
using Pipeline.Scripting.Runtime;

namespace Pipeline.Database.Indexes;

/// <summary>
/// The content of an automatic index: fields of one collection's documents, or of groups of them, that queries have
/// asked for. Immutable.
/// </summary>
/// <param name="Collection">The collection; null for all documents.</param>
/// <param name="Fields">Its fields, each once.</param>
public sealed record AutoIndexDefinition(string? Collection, IReadOnlyList<AutoIndexField> Fields)
{
    /// <summary>The keys of its groups; empty where an entry is a document.</summary>
    public IReadOnlyList<GroupKeyDemand> GroupBy { get; init; } = [];

    /// <summary>The aggregates of each group.</summary>
    public IReadOnlyList<AggregateDemand> Aggregates { get; init; } = [];

    /// <summary>
    /// The index's name, after RavenDB's: <c>Auto/Orders/ByCompanyAndSearch(Notes)</c>,
    /// <c>Auto/Orders/Bycount()ReducedByCompany</c>.
    /// </summary>
    [JsonIgnore]
    public string Name
    {
        get
        {
            var parts =
                GroupBy.Count == 0
                    ? Fields.OrderBy(f => f.Path, StringComparer.Ordinal).SelectMany(f => f.NameParts())
                    : Aggregates
                        .Select(a => a.Name)
                        .Order(StringComparer.Ordinal)
                        .Concat(
                            Fields
                                .Where(f => f.Usage != AutoFieldUsage.Compare)
                                .OrderBy(f => f.Path, StringComparer.Ordinal)
                                .SelectMany(f => f.NameParts())
                        )
                        .Distinct();
            var fields = string.Join("And", parts);
            var name = $"Auto/{Collection ?? "AllDocs"}{(fields.Length == 0 ? "" : "/By" + fields)}";
            if (GroupBy.Count > 0)
            {
                name +=
                    $"{(fields.Length == 0 ? "/" : "")}ReducedBy{string.Join("And", GroupBy.Select(k => k.IsWholeArray ? $"Array({IndexFieldNames.Static(k.Path)})" : IndexFieldNames.Static(k.Path)))}";
            }

            return name.Length <= IndexDefinition.MaxNameLength
                ? name
                : $"{name[..(IndexDefinition.MaxNameLength - 17)]}-{Convert.ToHexStringLower(SHA256.HashData(Encoding.UTF8.GetBytes(name)))[..16]}";
        }
    }

    /// <summary>The definition that answers a query on a collection.</summary>
    public static AutoIndexDefinition Of(IndexDemand demand)
    {
        ArgumentNullException.ThrowIfNull(demand);
        return new AutoIndexDefinition(demand.Collection, [.. demand.Fields.Select(AutoIndexField.Of)])
        {
            GroupBy = demand.GroupBy,
            Aggregates = demand.Aggregates,
        };
    }

    /// <summary>Whether both have entries of the same kind, so that one index can be both.</summary>
    public bool IsOneWith(AutoIndexDefinition other) =>
        string.Equals(Collection, other.Collection, StringComparison.OrdinalIgnoreCase)
        && GroupBy.SequenceEqual(other.GroupBy);

    /// <summary>Whether the index has everything that a query needs.</summary>
    public bool Covers(AutoIndexDefinition wanted) =>
        IsOneWith(wanted)
        && wanted.Aggregates.All(Aggregates.Contains)
        && wanted.Fields.All(w => Fields.Any(f => f.Path == w.Path && (f.Usage & w.Usage) == w.Usage));

    /// <summary>The union of this and another one, if <see cref="IsOneWith"/> holds.</summary>
    public AutoIndexDefinition Widen(AutoIndexDefinition other) =>
        this with
        {
            Fields =
            [
                .. Fields
                    .Concat(other.Fields)
                    .GroupBy(f => f.Path, StringComparer.Ordinal)
                    .Select(g =>
                        g.Aggregate((a, b) => a with { Usage = a.Usage | b.Usage, Spatial = a.Spatial ?? b.Spatial })
                    )
                    .OrderBy(f => f.Path, StringComparer.Ordinal),
            ],
            Aggregates =
            [
                .. Aggregates.Concat(other.Aggregates).Distinct().OrderBy(a => a.Name, StringComparer.Ordinal),
            ],
        };
}
