using System.Collections.Frozen;

namespace Pipeline.Database.Queries.Language;

/// <summary>The functions of the query language, with how many arguments they take.</summary>
internal static class KnownFunctions
{
    private const int Any = int.MaxValue;

    private static readonly FrozenDictionary<string, (string Name, int Min, int Max)> All = new (
        string Name,
        int Min,
        int Max
    )[]
    {
        // conditions
        ("search", 2, 3),
        ("startsWith", 2, 2),
        ("endsWith", 2, 2),
        ("exists", 1, 1),
        ("exact", 1, 1),
        ("boost", 2, 2),
        ("lucene", 2, 3),
        ("fuzzy", 2, 2),
        ("proximity", 2, 2),
        ("regex", 2, 2),
        ("intersect", 2, Any),
        ("moreLikeThis", 1, 2),
        ("id", 0, 1),
        ("spatial.within", 2, 3),
        ("spatial.intersects", 2, 3),
        ("spatial.disjoint", 2, 3),
        ("spatial.contains", 2, 3),
        ("spatial.point", 2, 2),
        ("spatial.circle", 3, 4),
        ("spatial.wkt", 1, 2),
        ("spatial.distance", 2, 3),
        // groups, orders and values
        ("array", 1, 1),
        ("key", 0, 0),
        ("count", 0, 1),
        ("sum", 1, 1),
        ("min", 1, 1),
        ("max", 1, 1),
        ("avg", 1, 1),
        ("average", 1, 1),
        ("score", 0, 0),
        ("random", 0, 1),
        ("custom", 1, 2),
        ("facet", 1, Any),
        ("suggest", 2, 3),
        ("load", 1, 2),
        ("getMetadata", 1, 1),
        ("metadataFor", 1, 1),
        ("lastModified", 1, 1),
        ("parseFloat", 1, 1),
        ("parseInt", 1, 2),
        ("Number", 1, 1),
        ("String", 1, 1),
        ("Boolean", 1, 1),
        // include
        ("highlight", 3, 4),
        ("explanations", 0, 1),
        ("timings", 0, 0),
        ("counters", 0, 2),
        ("counter", 1, 2),
        ("timeseries", 1, Any),
        ("revisions", 0, 2),
        ("cmpxchg", 1, 1),
        ("attachments", 0, 1),
    }.ToFrozenDictionary(f => f.Name, StringComparer.OrdinalIgnoreCase);

    private static readonly FrozenDictionary<string, string> Forms = new[]
    {
        "search(Note, 'words')",
        "startsWith(Name, 'a')",
        "endsWith(Name, 'a')",
        "exists(Name)",
        "exact(Name = 'A')",
        "boost(Name = 'a', 2)",
        "lucene(Note, 'a*')",
        "fuzzy(Name = 'a', 0.5)",
        "proximity(search(Note, 'two words'), 2)",
        "regex(Name, '^a')",
        "intersect(Price = 1, Price = 2)",
        "moreLikeThis(id() = 'orders/1')",
        "spatial.within(spatial.point(Lat, Lon), spatial.circle(10, 59.9, 10.7))",
        "spatial.point(Lat, Lon)",
        "spatial.circle(10, 59.9, 10.7)",
        "spatial.wkt('POLYGON((0 0, 1 0, 1 1, 0 0))')",
        "spatial.distance(spatial.point(Lat, Lon), spatial.point(59.9, 10.7))",
        "key()",
        "sum(Total)",
        "min(Total)",
        "max(Total)",
        "avg(Total)",
        "score()",
        "random('seed')",
        "facet(Category)",
        "suggest(Note, 'word')",
        "load(o.Company)",
        "lastModified(o)",
        "highlight(Note, 40, 2)",
        "cmpxchg('Company')",
    }.ToFrozenDictionary(f => f[..f.IndexOf('(', StringComparison.Ordinal)], StringComparer.OrdinalIgnoreCase);

    /// <summary>How a function is written, by example; null for one that needs none.</summary>
    internal static string? FormOf(string name) => Forms.GetValueOrDefault(name);

    /// <summary>The functions' names, in their documented spelling.</summary>
    internal static IEnumerable<string> Names => All.Values.Select(f => f.Name);

    /// <summary>Looks a function up by its name in any case.</summary>
    internal static bool TryGet(string name, out string documented, out int min, out int max)
    {
        var found = All.TryGetValue(name, out var function);
        (documented, min, max) = function;
        return found;
    }
}
