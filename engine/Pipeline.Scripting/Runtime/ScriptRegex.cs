using System.ComponentModel;
using System.Text.RegularExpressions;

namespace Pipeline.Scripting.Runtime;

#pragma warning disable CS1591 // Each is Regex's member of the same name, which takes null for an empty text.

/// <summary>
/// Replaces <c>Regex</c> in scripts, in every spelling: a call that takes longer than the remaining time of the run
/// ends the run. Thread-safe.
/// </summary>
/// <remarks>
/// Outside a run, while a helper's constants are initialized, a call has one second. A shorter timeout from the script
/// applies, and the script can catch it.
/// </remarks>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed class ScriptRegex
{
    public static readonly TimeSpan InfiniteMatchTimeout = Regex.InfiniteMatchTimeout;

    private static readonly TimeSpan OutsideOfRuns = TimeSpan.FromSeconds(1);

    private const int MaxUncounted = 1 << 20;

    private readonly string _pattern;

    public ScriptRegex(string pattern)
        : this(pattern, RegexOptions.None) { }

    public ScriptRegex(string pattern, RegexOptions options)
        : this(pattern, options, InfiniteMatchTimeout) { }

    public ScriptRegex(string pattern, RegexOptions options, TimeSpan matchTimeout)
    {
        (_pattern, Options, MatchTimeout) = (pattern, options, matchTimeout);
        _ = Bounded();
    }

    public RegexOptions Options { get; }

    public TimeSpan MatchTimeout { get; }

    public bool RightToLeft => (Options & RegexOptions.RightToLeft) != 0;

    public static string Escape(string str) => Regex.Escape(str);

    public static string Unescape(string str) => Regex.Unescape(str);

    public static bool IsMatch(string? input, string pattern) => new ScriptRegex(pattern).IsMatch(input);

    public static bool IsMatch(string? input, string pattern, RegexOptions options) =>
        new ScriptRegex(pattern, options).IsMatch(input);

    public static bool IsMatch(string? input, string pattern, RegexOptions options, TimeSpan matchTimeout) =>
        new ScriptRegex(pattern, options, matchTimeout).IsMatch(input);

    public static Match Match(string? input, string pattern) => new ScriptRegex(pattern).Match(input);

    public static Match Match(string? input, string pattern, RegexOptions options) =>
        new ScriptRegex(pattern, options).Match(input);

    public static Match Match(string? input, string pattern, RegexOptions options, TimeSpan matchTimeout) =>
        new ScriptRegex(pattern, options, matchTimeout).Match(input);

    public static MatchCollection Matches(string? input, string pattern) => new ScriptRegex(pattern).Matches(input);

    public static MatchCollection Matches(string? input, string pattern, RegexOptions options) =>
        new ScriptRegex(pattern, options).Matches(input);

    public static MatchCollection Matches(string? input, string pattern, RegexOptions options, TimeSpan matchTimeout) =>
        new ScriptRegex(pattern, options, matchTimeout).Matches(input);

    public static int Count(string? input, string pattern) => new ScriptRegex(pattern).Count(input);

    public static int Count(string? input, string pattern, RegexOptions options) =>
        new ScriptRegex(pattern, options).Count(input);

    public static int Count(string? input, string pattern, RegexOptions options, TimeSpan matchTimeout) =>
        new ScriptRegex(pattern, options, matchTimeout).Count(input);

    public static string Replace(string? input, string pattern, string replacement) =>
        new ScriptRegex(pattern).Replace(input, replacement);

    public static string Replace(string? input, string pattern, string replacement, RegexOptions options) =>
        new ScriptRegex(pattern, options).Replace(input, replacement);

    public static string Replace(
        string? input,
        string pattern,
        string replacement,
        RegexOptions options,
        TimeSpan matchTimeout
    ) => new ScriptRegex(pattern, options, matchTimeout).Replace(input, replacement);

    public static string Replace(string? input, string pattern, MatchEvaluator evaluator) =>
        new ScriptRegex(pattern).Replace(input, evaluator);

    public static string Replace(string? input, string pattern, MatchEvaluator evaluator, RegexOptions options) =>
        new ScriptRegex(pattern, options).Replace(input, evaluator);

    public static string Replace(
        string? input,
        string pattern,
        MatchEvaluator evaluator,
        RegexOptions options,
        TimeSpan matchTimeout
    ) => new ScriptRegex(pattern, options, matchTimeout).Replace(input, evaluator);

    public static string[] Split(string? input, string pattern) => new ScriptRegex(pattern).Split(input);

    public static string[] Split(string? input, string pattern, RegexOptions options) =>
        new ScriptRegex(pattern, options).Split(input);

    public static string[] Split(string? input, string pattern, RegexOptions options, TimeSpan matchTimeout) =>
        new ScriptRegex(pattern, options, matchTimeout).Split(input);

    public bool IsMatch(string? input) => input is not null && Run(r => r.IsMatch(input));

    public bool IsMatch(string? input, int startat) => input is not null && Run(r => r.IsMatch(input, startat));

    public Match Match(string? input) => Run(r => r.Match(input ?? ""));

    public Match Match(string? input, int startat) => Run(r => r.Match(input ?? "", startat));

    public Match Match(string? input, int beginning, int length) => Run(r => r.Match(input ?? "", beginning, length));

    public MatchCollection Matches(string? input) => Run(r => All(r.Matches(input ?? "")));

    public MatchCollection Matches(string? input, int startat) => Run(r => All(r.Matches(input ?? "", startat)));

    public int Count(string? input) => Run(r => r.Count(input ?? ""));

    public string Replace(string? input, string replacement) =>
        Run(r =>
            IsSmall(input, replacement)
                ? r.Replace(input ?? "", replacement)
                : r.Replace(input ?? "", Counted(replacement))
        );

    public string Replace(string? input, string replacement, int count) =>
        Run(r =>
            IsSmall(input, replacement)
                ? r.Replace(input ?? "", replacement, count)
                : r.Replace(input ?? "", Counted(replacement), count)
        );

    public string Replace(string? input, string replacement, int count, int startat) =>
        Run(r =>
            IsSmall(input, replacement)
                ? r.Replace(input ?? "", replacement, count, startat)
                : r.Replace(input ?? "", Counted(replacement), count, startat)
        );

    public string Replace(string? input, MatchEvaluator evaluator) => Run(r => r.Replace(input ?? "", evaluator));

    public string Replace(string? input, MatchEvaluator evaluator, int count) =>
        Run(r => r.Replace(input ?? "", evaluator, count));

    public string Replace(string? input, MatchEvaluator evaluator, int count, int startat) =>
        Run(r => r.Replace(input ?? "", evaluator, count, startat));

    public string[] Split(string? input) => Run(r => r.Split(input ?? ""));

    public string[] Split(string? input, int count) => Run(r => r.Split(input ?? "", count));

    public string[] Split(string? input, int count, int startat) => Run(r => r.Split(input ?? "", count, startat));

    public string[] GetGroupNames() => Bounded().GetGroupNames();

    public int[] GetGroupNumbers() => Bounded().GetGroupNumbers();

    public string GroupNameFromNumber(int i) => Bounded().GroupNameFromNumber(i);

    public int GroupNumberFromName(string name) => Bounded().GroupNumberFromName(name);

    public override string ToString() => _pattern;

    /// <summary>A collection finds its matches lazily: it is filled here, under the time limit.</summary>
    private static MatchCollection All(MatchCollection matches)
    {
        foreach (Match _ in matches)
            ScriptGuard.Step();
        return matches;
    }

    /// <summary>Whether the result stays below a megabyte or so, whatever the expression matches.</summary>
    private static bool IsSmall(string? input, string replacement) =>
        (long)(input?.Length ?? 0)
            * (
                replacement.Contains('$', StringComparison.Ordinal)
                    ? Math.Max(replacement.Length, input?.Length ?? 0)
                    : replacement.Length
            )
        <= MaxUncounted;

    /// <summary>What each match is replaced by, counted before the whole is put together.</summary>
    private static MatchEvaluator Counted(string replacement) =>
        match =>
        {
            ScriptGuard.Step();
            ScriptGuard.Claim(2L * replacement.Length);
            return ScriptSizes.Text(match.Result(replacement))!;
        };

    private T Run<T>(Func<Regex, T> call)
    {
        try
        {
            return call(Bounded());
        }
        catch (RegexMatchTimeoutException)
        {
            _ = ScriptGuard.TimeForCall();
            throw;
        }
    }

    private Regex Bounded()
    {
        var time = ScriptGuard.TimeForCall() ?? OutsideOfRuns;
        return RegexCache.Get(
            _pattern,
            Options,
            MatchTimeout != InfiniteMatchTimeout && MatchTimeout < time ? MatchTimeout : time
        );
    }
}
