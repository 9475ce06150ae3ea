using System.Collections.Concurrent;
using System.Text.RegularExpressions;

namespace Pipeline.Scripting.Runtime;

/// <summary>
/// Caches the regular expressions of scripts by their patterns and options, because a script creates them again in each
/// run. Thread-safe.
/// </summary>
internal static class RegexCache
{
    // Scripts can build patterns from documents, so their number is unbounded.
    private const int MaxKept = 512;
    private const int LongestKept = 4096;

    private static readonly ConcurrentDictionary<(string Pattern, RegexOptions Options, TimeSpan Timeout), Regex> Kept =
        new();

    /// <summary>The expression.</summary>
    /// <param name="pattern">Its pattern.</param>
    /// <param name="options">Its options; letters' case is the invariant culture's.</param>
    /// <param name="timeout">How long one match may take.</param>
    /// <exception cref="ArgumentException">The pattern is not valid.</exception>
    public static Regex Get(string pattern, RegexOptions options, TimeSpan timeout)
    {
        ArgumentNullException.ThrowIfNull(pattern);
        if ((options & RegexOptions.ECMAScript) == 0)
            options |= RegexOptions.CultureInvariant;
        if (Kept.TryGetValue((pattern, options, timeout), out var known))
            return known;
        var made = new Regex(pattern, options, timeout);
        if (pattern.Length > LongestKept)
            return made;
        if (Kept.Count >= MaxKept)
            Kept.Clear();
        Kept[(pattern, options, timeout)] = made;
        return made;
    }
}
