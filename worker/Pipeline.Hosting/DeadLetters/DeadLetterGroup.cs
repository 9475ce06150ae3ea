using System.Security.Cryptography;
using System.Text;
using System.Text.RegularExpressions;
using Pipeline.Etl.DeadLetters;

namespace Pipeline.Hosting.DeadLetters;

/// <summary>Dead letters that failed alike: of one task, with one class, at one line, with one error.</summary>
/// <param name="Key">Identifies the group in requests.</param>
/// <param name="Task">The task; <see langword="null"/> for a subscription's letters.</param>
/// <param name="Subscription">The subscription; <see langword="null"/> for a task's letters.</param>
/// <param name="Class">The class of the error.</param>
/// <param name="Error">The error of the newest letter.</param>
/// <param name="Place">Where in its file the transform failed.</param>
/// <param name="Count">How many letters it has.</param>
/// <param name="Retrying">How many of them are marked for a retry.</param>
/// <param name="First">When the first of them failed last.</param>
/// <param name="Last">When the newest of them failed.</param>
internal sealed partial record DeadLetterGroup(
    string Key,
    string? Task,
    string? Subscription,
    string Class,
    string Error,
    string? Place,
    int Count,
    int Retrying,
    string? First,
    string? Last
)
{
    /// <summary>The groups of letters, the largest first.</summary>
    public static IReadOnlyList<DeadLetterGroup> Of(IEnumerable<DeadLetterView> letters) =>
        [
            .. letters
                .GroupBy(KeyOf, StringComparer.Ordinal)
                .Select(g => Of(g.Key, [.. g.OrderBy(l => l.Time, StringComparer.Ordinal)]))
                .OrderByDescending(g => g.Count)
                .ThenBy(g => g.Key, StringComparer.Ordinal),
        ];

    /// <summary>The key of a letter's group. Values in the error, such as numbers and quoted ids, do not count.</summary>
    public static string KeyOf(DeadLetterView letter)
    {
        var text = string.Join(
            '\0',
            letter.Task,
            letter.Subscription,
            letter.Class ?? letter.Kind,
            letter.Place,
            Values().Replace(letter.Error, "…")
        );
        return Convert.ToHexStringLower(SHA256.HashData(Encoding.UTF8.GetBytes(text)).AsSpan(0, 8));
    }

    private static DeadLetterGroup Of(string key, List<DeadLetterView> letters)
    {
        var newest = letters[^1];
        return new DeadLetterGroup(
            key,
            newest.Task,
            newest.Subscription,
            newest.Class ?? newest.Kind,
            newest.Error,
            newest.Place,
            letters.Count,
            letters.Count(l => l.Retry),
            letters[0].Time,
            newest.Time
        );
    }

    [GeneratedRegex("""'[^']*'|"[^"]*"|\d+""")]
    private static partial Regex Values();
}
