using Pipeline.Database.Queries.Language.Syntax;

namespace Pipeline.Database.Queries.Results;

/// <summary>
/// ETags of results. They stay the same while the sources of the results do not change, in this process and the next.
/// </summary>
internal static class ResultETag
{
    /// <summary>
    /// Whether results may depend on documents other than the hits: loaded, included or compared ones. The answer comes
    /// from the words of the query, so it may be true without need if a word has another meaning there.
    /// </summary>
    internal static bool MayReadOthers(QuerySyntax query) =>
        query.Include.Any(i => i is not CallSyntax)
        || query.Functions.Count > 0
        || query.Select?.Script is not null
        || query.Text.Contains("load", StringComparison.OrdinalIgnoreCase)
        || query.Text.Contains("moreLikeThis", StringComparison.OrdinalIgnoreCase)
        || query.Text.Contains("facet(id(", StringComparison.OrdinalIgnoreCase);

    /// <summary>Mixes numbers to one (the finalizer of SplitMix64, G. Steele and others, 2014).</summary>
    internal static long Of(params ReadOnlySpan<long> parts)
    {
        ulong mixed = 0;
        foreach (var part in parts)
        {
            var z = (mixed ^ (ulong)part) + 0x9E3779B97F4A7C15;
            z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
            z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
            mixed = z ^ (z >> 31);
        }

        return (long)mixed;
    }
}
