using Pipeline.Database.Queries.Language;

namespace Pipeline.Worker.Queries;

/// <summary>Adds to a query what a command's options ask for.</summary>
internal static class QueryText
{
    /// <summary>The query with more to include, in its canonical form.</summary>
    /// <exception cref="InvalidQueryException">It is no query.</exception>
    public static string WithIncludes(string query, IEnumerable<string> includes)
    {
        var read = QueryParser.Parse(query);
        var added = QueryParser.Parse("from @all_docs include " + string.Join(", ", includes)).Include;
        return (read with { Include = [.. read.Include, .. added] }).ToString();
    }
}
