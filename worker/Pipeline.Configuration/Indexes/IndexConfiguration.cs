using Pipeline.Database.Indexes;
using Pipeline.Yaml;

namespace Pipeline.Configuration;

/// <summary>One entry of <c>indexes</c>: an index of the database, made or changed at the start.</summary>
public sealed class IndexConfiguration
{
    /// <summary>The index's name.</summary>
    [Setting(
        "Name of the index, for example 'Orders/ByCompany'. If the definition changed, a new version is built, and the old one answers until it is ready.",
        Required = true
    )]
    public string Name { get; init; } = "";

    /// <summary>The maps.</summary>
    [Setting(
        "C# queries over 'docs', such as 'from o in docs.Orders select new { o.Company }'; one or several. Variables are not expanded in them.",
        Required = true
    )]
    public IReadOnlyList<ScriptText> Maps { get; init; } = [];

    /// <summary>The reduce.</summary>
    [Setting(
        "C# query over 'results' that groups the maps' entries, such as 'from r in results group r by r.Company into g select new { Company = g.Key, Count = g.Sum(x => x.Count) }'."
    )]
    public ScriptText? Reduce { get; init; }

    /// <summary>Options of fields by name.</summary>
    [Setting("Options of fields, by name; '__all_fields' applies to every field.")]
    public IReadOnlyDictionary<string, IndexFieldConfiguration> Fields { get; init; } =
        new Dictionary<string, IndexFieldConfiguration>();

    /// <summary>Its turn among others.</summary>
    [Setting("Which index is updated first when several have a backlog.")]
    public IndexPriority Priority { get; init; } = IndexPriority.Normal;

    /// <summary>The definition.</summary>
    public IndexDefinition ToDefinition() =>
        new()
        {
            Name = Name,
            Maps = [.. Maps.Select(m => m.Text)],
            Reduce = Reduce?.Text,
            Fields = Fields.ToDictionary(f => f.Key, f => f.Value.ToDefinition(), StringComparer.Ordinal),
            Priority = Priority,
        };
}
