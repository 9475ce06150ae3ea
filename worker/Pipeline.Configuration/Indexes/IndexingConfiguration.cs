using Pipeline.Database.Indexes;
using Pipeline.Yaml;

namespace Pipeline.Configuration;

/// <summary><c>indexing</c>: what the indexes of all databases may use. Immutable.</summary>
public sealed class IndexingConfiguration
{
    /// <summary>The most automatic indexes of one database.</summary>
    [Setting(
        "Most automatic indexes of one database. A query that needs one more is refused.",
        Minimum = 0,
        Maximum = 1000
    )]
    public int MaxAutoIndexes { get; init; } = new IndexingOptions().MaxAutoIndexes;

    /// <summary>The most automatic indexes of all databases together.</summary>
    [Setting(
        "Most automatic indexes of all databases of the worker together. A query that needs one more is refused.",
        Minimum = 0,
        Maximum = 100_000
    )]
    public int MaxAutoIndexesInAll { get; init; } = 1_000;

    /// <summary>The most fields of one automatic index.</summary>
    [Setting(
        "Most fields of one automatic index; it has the fields of all queries on its collection. A query that needs one more is refused.",
        Minimum = 1,
        Maximum = 1000
    )]
    public int MaxAutoIndexFields { get; init; } = new IndexingOptions().MaxAutoIndexFields;

    /// <summary>
    /// These limits as the database takes them; databases that are given the same object share
    /// <see cref="MaxAutoIndexesInAll"/>.
    /// </summary>
    public IndexingOptions ToOptions() =>
        new()
        {
            MaxAutoIndexes = MaxAutoIndexes,
            MaxAutoIndexFields = MaxAutoIndexFields,
            AutoIndexBudget = new AutoIndexBudget(MaxAutoIndexesInAll),
        };
}
