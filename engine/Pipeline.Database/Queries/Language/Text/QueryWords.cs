using System.Collections.Frozen;

namespace Pipeline.Database.Queries.Language;

/// <summary>The words that begin a clause, and words of other languages with their equivalents here.</summary>
internal static class QueryWords
{
    /// <summary>
    /// The beginnings of clauses, in the order of the clauses; <c>order</c> and <c>group</c> only before <c>by</c>.
    /// </summary>
    internal static readonly string[] Clauses =
    [
        "group by",
        "where",
        "order by",
        "load",
        "filter",
        "update",
        "select",
        "include",
        "limit",
        "offset",
        "filter_limit",
    ];

    /// <summary>Words that are never a field's name without quotes.</summary>
    private static readonly FrozenSet<string> Reserved = new[]
    {
        "and",
        "or",
        "not",
        "true",
        "false",
        "null",
        "in",
        "between",
        "all",
        "new",
        "function",
        "index",
    }.ToFrozenSet(StringComparer.OrdinalIgnoreCase);

    private static readonly FrozenDictionary<string, string> Foreign = new Dictionary<string, string>
    {
        ["like"] = "use startsWith(), endsWith(), search() or regex()",
        ["is"] = "write = null or != null",
        ["having"] = "conditions on aggregates stand in 'where' too",
        ["join"] = "use 'load o.Company as c'",
        ["contains"] = "use search(field, 'words'), or field in ('a', 'b')",
        ["top"] = "use 'limit'",
        ["take"] = "use 'limit'",
        ["skip"] = "use 'offset'",
        ["orderby"] = "write 'order by'",
        ["order"] = "write 'order by'",
        ["group"] = "write 'group by'",
        ["sort"] = "write 'order by'",
        ["groupby"] = "write 'group by'",
        ["set"] = "write update { this.Field = value; }",
    }.ToFrozenDictionary(StringComparer.OrdinalIgnoreCase);

    /// <summary>Whether a name must be quoted where a path begins.</summary>
    internal static bool MustQuote(string name) =>
        !Lexer.IsPlainName(name)
        || Reserved.Contains(name)
        || Clauses.Any(c => name.Equals(c.Split(' ')[0], StringComparison.OrdinalIgnoreCase));

    /// <summary>Suggests a replacement for a word that is not allowed here; null if there is none.</summary>
    internal static string? Suggest(string word, params IEnumerable<string> expected)
    {
        if (Foreign.TryGetValue(word, out var suggestion))
            return suggestion;
        return Spelling.Nearest(word, expected) is { } near && !near.Equals(word, StringComparison.OrdinalIgnoreCase)
            ? $"did you mean '{near}'?"
            : null;
    }
}
