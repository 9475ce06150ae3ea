using System.Text;
using System.Text.RegularExpressions;

namespace Pipeline.Indexing;

/// <summary>Terms in which a regular expression is found, in time linear in their length.</summary>
internal sealed class RegexMatcher : TermMatcher
{
    /// <summary>
    /// The most characters of a pattern. The automaton has a separate limit, but parsing a pattern takes time and
    /// memory before that limit applies.
    /// </summary>
    public const int MaxPatternLength = 16 * 1024;

    private readonly Regex _regex;
    private readonly byte[] _prefix;
    private char[] _characters = new char[128];

    public RegexMatcher(string pattern)
    {
        if (pattern.Length > MaxPatternLength)
            throw new QueryLimitException(nameof(MaxPatternLength), MaxPatternLength, pattern.Length, "regex");
        try
        {
            _regex = new Regex(pattern, RegexOptions.NonBacktracking | RegexOptions.CultureInvariant);
        }
        catch (Exception e) when (e is ArgumentException or NotSupportedException)
        {
            throw new QueryException($"The regular expression '{pattern}' cannot be used: {e.Message}", e);
        }

        _prefix = Encoding.UTF8.GetBytes(LiteralBeginning(pattern));
    }

    public override ReadOnlySpan<byte> Prefix => _prefix;

    public override bool Matches(ReadOnlySpan<byte> term, out int seek)
    {
        seek = 0;
        if (_characters.Length < term.Length)
            _characters = new char[term.Length];
        var count = Encoding.UTF8.GetChars(term, _characters);
        return _regex.IsMatch(_characters.AsSpan(0, count));
    }

    // What follows ^ as far as letters and digits go, but for the last where a quantifier may follow. Alternatives end
    // all certainty.
    private static string LiteralBeginning(string pattern)
    {
        if (!pattern.StartsWith('^') || pattern.Contains('|', StringComparison.Ordinal))
            return "";
        var end = 1;
        while (end < pattern.Length && char.IsLetterOrDigit(pattern[end]))
            end++;
        if (end < pattern.Length && pattern[end] is '*' or '+' or '?' or '{')
            end--;
        return end <= 1 ? "" : pattern[1..end];
    }
}
