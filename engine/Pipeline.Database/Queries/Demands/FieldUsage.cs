namespace Pipeline.Database.Queries.Demands;

/// <summary>How a query uses a field of an index.</summary>
[Flags]
public enum FieldUsage
{
    /// <summary>For nothing.</summary>
    None = 0,

    /// <summary>
    /// Its values are compared without case: =, &lt;, in, between, startsWith, endsWith, regex, exists.
    /// </summary>
    Compare = 1,

    /// <summary>Its values are compared with their case: <c>exact()</c>.</summary>
    Exact = 2,

    /// <summary>
    /// Its words are searched: <c>search()</c>, <c>lucene()</c>, <c>proximity()</c>, <c>moreLikeThis()</c>.
    /// </summary>
    Search = 4,

    /// <summary>Results are ordered by it as texts.</summary>
    OrderText = 8,

    /// <summary>Results are ordered by it as numbers.</summary>
    OrderNumber = 16,

    /// <summary>Results are ordered by it as texts whose digits count as numbers.</summary>
    OrderAlphaNumeric = 32,

    /// <summary>Its values are counted: <c>facet()</c>.</summary>
    Facet = 64,

    /// <summary>It is a place: <c>spatial.…</c>.</summary>
    Spatial = 128,

    /// <summary>Its terms are offered: <c>suggest()</c>.</summary>
    Suggest = 256,

    /// <summary>Fragments of its text are shown with the matches marked: <c>highlight()</c>.</summary>
    Highlight = 512,
}
