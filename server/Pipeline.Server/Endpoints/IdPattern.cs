namespace Pipeline.Server.Endpoints;

/// <summary>
/// Patterns for the rest of an id after its prefix: <c>*</c> for anything, <c>?</c> for one character, alternatives
/// separated by <c>|</c>. Immutable.
/// </summary>
internal sealed class IdPattern(string? matches, string? excludes)
{
    private readonly string[] _matches = Split(matches);
    private readonly string[] _excludes = Split(excludes);

    /// <summary>Whether a text matches.</summary>
    public bool Holds(string rest) => (_matches.Length == 0 || Any(_matches, rest)) && !Any(_excludes, rest);

    private static string[] Split(string? patterns) =>
        string.IsNullOrEmpty(patterns) ? [] : patterns.Split('|', StringSplitOptions.RemoveEmptyEntries);

    private static bool Any(string[] patterns, string text)
    {
        foreach (var pattern in patterns)
        {
            if (Fits(pattern, text))
                return true;
        }
        return false;
    }

    /// <summary>
    /// Matches one pattern. Backtracks only to the last star, so it takes at most pattern length times text length
    /// steps.
    /// </summary>
    private static bool Fits(string pattern, string text)
    {
        int p = 0,
            t = 0,
            star = -1,
            from = 0;
        while (t < text.Length)
        {
            if (p < pattern.Length && pattern[p] == '*')
            {
                star = p++;
                from = t;
            }
            else if (
                p < pattern.Length
                && (pattern[p] == '?' || char.ToLowerInvariant(pattern[p]) == char.ToLowerInvariant(text[t]))
            )
            {
                p++;
                t++;
            }
            else if (star >= 0)
            {
                p = star + 1;
                t = ++from;
            }
            else
            {
                return false;
            }
        }
        return pattern.AsSpan(p).Trim('*').IsEmpty;
    }
}
