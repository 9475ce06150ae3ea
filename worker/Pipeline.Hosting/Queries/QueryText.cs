using Pipeline.Database.Queries.Language;

namespace Pipeline.Hosting.Queries;

/// <summary>Adds a command's options to a query.</summary>
internal static class QueryText
{
    /// <summary>The query with further includes, in its canonical form.</summary>
    /// <exception cref="InvalidQueryException">The text is not a query.</exception>
    public static string WithIncludes(string query, IEnumerable<string> includes)
    {
        var read = QueryParser.Parse(query);
        var added = QueryParser.Parse("from @all_docs include " + string.Join(", ", includes)).Include;
        return (read with { Include = [.. read.Include, .. added] }).ToString();
    }
}
