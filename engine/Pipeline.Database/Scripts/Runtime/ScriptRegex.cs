using System.ComponentModel;
using System.Text.RegularExpressions;

namespace Pipeline.Database.Scripts.Runtime;

#pragma warning disable CS1591 // Each is Regex's method of the same name.

/// <summary>What <c>Regex</c> is in a script: a pattern that takes too long is stopped after <see cref="Timeout"/>.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public class ScriptRegex : Regex
{
    /// <summary>Longest time of one match.</summary>
    public static TimeSpan Timeout { get; } = TimeSpan.FromSeconds(1);

    public ScriptRegex(string pattern)
        : base(pattern, RegexOptions.None, Timeout)
    {
    }

    public ScriptRegex(string pattern, RegexOptions options)
        : base(pattern, options, Timeout)
    {
    }

    public static new bool IsMatch(string? input, string pattern) => IsMatch(input, pattern, RegexOptions.None);

    public static new bool IsMatch(string? input, string pattern, RegexOptions options) => input is not null && Regex.IsMatch(input, pattern, options, Timeout);

    public static new Match Match(string? input, string pattern) => Match(input, pattern, RegexOptions.None);

    public static new Match Match(string? input, string pattern, RegexOptions options) => Regex.Match(input ?? "", pattern, options, Timeout);

    public static new MatchCollection Matches(string? input, string pattern) => Matches(input, pattern, RegexOptions.None);

    public static new MatchCollection Matches(string? input, string pattern, RegexOptions options) =>
        Regex.Matches(input ?? "", pattern, options, Timeout);

    public static new string Replace(string? input, string pattern, string replacement) => Replace(input, pattern, replacement, RegexOptions.None);

    public static new string Replace(string? input, string pattern, string replacement, RegexOptions options) =>
        Regex.Replace(input ?? "", pattern, replacement, options, Timeout);

    public static new string Replace(string? input, string pattern, MatchEvaluator evaluator) =>
        Regex.Replace(input ?? "", pattern, evaluator, RegexOptions.None, Timeout);

    public static new string[] Split(string? input, string pattern) => Regex.Split(input ?? "", pattern, RegexOptions.None, Timeout);
}
