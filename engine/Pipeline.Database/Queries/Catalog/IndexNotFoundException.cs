namespace Pipeline.Database.Queries.Catalog;

/// <summary>A query or command names an index that does not exist.</summary>
public sealed class IndexNotFoundException : Exception
{
    /// <summary>Makes the error.</summary>
    /// <param name="name">The name that was given.</param>
    /// <param name="known">The names of the existing indexes.</param>
    public IndexNotFoundException(string name, IEnumerable<string> known)
        : base(
            $"There is no index '{name}'{(Spelling.Suggest(name, known) is { } suggestion ? "; " + suggestion : "")}{(Spelling.Nearest(name, known) is null ? "." : "")}"
        ) => Name = name;

    /// <summary>The name that was given.</summary>
    public string Name { get; }
}
