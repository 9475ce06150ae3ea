namespace Pipeline.Database.Indexes;

/// <summary>What an automatic index holds: fields of one collection's documents, as queries have asked for them. Immutable.</summary>
/// <param name="Collection">The collection; <c>@all_docs</c> for all documents.</param>
/// <param name="Fields">Its fields, each once.</param>
public sealed record AutoIndexDefinition(string Collection, IReadOnlyList<AutoIndexField> Fields)
{
    /// <summary>The name of the collection that stands for all documents.</summary>
    public const string AllDocuments = "@all_docs";

    /// <summary>The index's name, as RavenDB makes it: <c>Auto/Orders/ByCompanyAndSearch(Notes)</c>.</summary>
    public string Name
    {
        get
        {
            string collection = Collection == AllDocuments ? "AllDocs" : Collection;
            IEnumerable<string> parts = Fields.OrderBy(f => f.Path, StringComparer.Ordinal).SelectMany(f => f.NameParts());
            string fields = string.Join("And", parts);
            return fields.Length == 0 ? $"Auto/{collection}" : Shorten($"Auto/{collection}/By{fields}");
        }
    }

    /// <summary>Whether what a query asks for is all there.</summary>
    public bool Covers(AutoIndexDefinition wanted) =>
        string.Equals(Collection, wanted.Collection, StringComparison.OrdinalIgnoreCase)
        && wanted.Fields.All(w => Fields.Any(f => f.Path == w.Path && (f.Usage & w.Usage) == w.Usage));

    /// <summary>This and what another asks for.</summary>
    public AutoIndexDefinition Widen(AutoIndexDefinition other) =>
        this with
        {
            Fields = [.. Fields.Concat(other.Fields).GroupBy(f => f.Path, StringComparer.Ordinal)
                .Select(g => new AutoIndexField(g.Key, g.Aggregate(AutoFieldUsage.Default, (u, f) => u | f.Usage)))
                .OrderBy(f => f.Path, StringComparer.Ordinal)],
        };

    private static string Shorten(string name) =>
        name.Length <= IndexDefinition.MaxNameLength
            ? name
            : $"{name[..(IndexDefinition.MaxNameLength - 17)]}-{Convert.ToHexStringLower(System.Security.Cryptography.SHA256.HashData(System.Text.Encoding.UTF8.GetBytes(name)))[..16]}";
}
