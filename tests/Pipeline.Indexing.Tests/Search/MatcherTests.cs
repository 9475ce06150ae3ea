using System.Text;
using System.Text.RegularExpressions;
using Xunit;

namespace Pipeline.Indexing.Tests.Search;

public sealed class MatcherTests
{
    [Fact]
    public void Fuzzy_terms_are_those_within_the_distance_of_the_whole_table()
    {
        var random = new Random(11);
        for (var round = 0; round < 60; round++)
        {
            var terms = RandomTerms(random, 400, "abcé\U0001F600");
            var sought = terms[random.Next(terms.Count)];
            var edits = random.Next(0, 4);
            var prefix = random.Next(0, 3);
            var matcher = new FuzzyMatcher(Encoding.UTF8.GetBytes(sought), edits, prefix);
            var expected = terms.Where(t =>
                Distance(Runes(sought), Runes(t)) <= edits
                && Runes(t).Take(prefix).SequenceEqual(Runes(sought).Take(prefix))
            );
            Assert.Equal(
                expected,
                Walk(matcher, terms, t => Assert.Equal(Distance(Runes(sought), Runes(t)), matcher.Distance))
            );
        }
    }

    [Fact]
    public void A_wildcard_matches_as_its_regular_expression_does()
    {
        var random = new Random(5);
        for (var round = 0; round < 300; round++)
        {
            var terms = RandomTerms(random, 200, "abé\U0001F600");
            var pattern = string.Concat(
                Enumerable
                    .Range(0, random.Next(0, 7))
                    .Select(_ => new[] { "*", "?", "a", "b", "é", "\\*" }[random.Next(6)])
            );
            const string One = "(?:[\uD800-\uDBFF][\uDC00-\uDFFF]|[^\uD800-\uDFFF])";
            var parts = Regex.Replace(
                pattern,
                @"\\\*|\*|\?",
                m =>
                    m.Value switch
                    {
                        "*" => One + "*",
                        "?" => One,
                        _ => m.Value,
                    }
            );
            var regex = new Regex($"^{parts}$", RegexOptions.Singleline);
            var matcher = new WildcardMatcher(pattern);
            Assert.Equal(terms.Where(t => regex.IsMatch(t)), Walk(matcher, terms, _ => { }));
        }
    }

    [Theory]
    [InlineData("^ab+", "a")]
    [InlineData("^abc", "abc")]
    [InlineData("abc", "")]
    [InlineData("^ab|^cd", "")]
    [InlineData("^a?b", "")]
    public void A_regular_expression_is_sought_from_its_literal_beginning(string pattern, string prefix) =>
        Assert.Equal(prefix, Encoding.UTF8.GetString(new RegexMatcher(pattern).Prefix));

    [Theory]
    [InlineData("(?=a)")]
    [InlineData("(a)\\1")]
    [InlineData("(")]
    public void A_regular_expression_that_cannot_be_linear_or_is_none_is_refused(string pattern) =>
        Assert.Contains(
            pattern,
            Assert.Throws<QueryException>(() => new RegexMatcher(pattern)).Message,
            StringComparison.Ordinal
        );

    private static List<string> Walk(TermMatcher matcher, List<string> terms, Action<string> found)
    {
        var result = new List<string>();
        byte[]? passed = null;
        foreach (var term in terms)
        {
            var bytes = Encoding.UTF8.GetBytes(term);
            if (!bytes.AsSpan().StartsWith(matcher.Prefix) || (passed is not null && bytes.AsSpan().StartsWith(passed)))
                continue;
            if (matcher.Matches(bytes, out var seek))
            {
                found(term);
                result.Add(term);
            }

            passed = seek > 0 ? bytes[..seek] : null;
        }

        return result;
    }

    private static List<string> RandomTerms(Random random, int count, string alphabet)
    {
        var letters = Runes(alphabet);
        return
        [
            .. Enumerable
                .Range(0, count)
                .Select(_ =>
                    string.Concat(
                        Enumerable
                            .Range(0, random.Next(0, 8))
                            .Select(_ => new Rune(letters[random.Next(letters.Length)]).ToString())
                    )
                )
                .Distinct()
                .OrderBy(
                    t => t,
                    Comparer<string>.Create(
                        (a, b) => Encoding.UTF8.GetBytes(a).AsSpan().SequenceCompareTo(Encoding.UTF8.GetBytes(b))
                    )
                ),
        ];
    }

    private static int[] Runes(string text) => [.. text.EnumerateRunes().Select(r => r.Value)];

    private static int Distance(int[] a, int[] b)
    {
        var d = new int[a.Length + 1, b.Length + 1];
        for (var i = 0; i <= a.Length; i++)
        {
            for (var j = 0; j <= b.Length; j++)
            {
                if (i == 0 || j == 0)
                {
                    d[i, j] = i + j;
                    continue;
                }

                d[i, j] = Math.Min(
                    Math.Min(d[i - 1, j], d[i, j - 1]) + 1,
                    d[i - 1, j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)
                );
                if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                    d[i, j] = Math.Min(d[i, j], d[i - 2, j - 2] + 1);
            }
        }

        return d[a.Length, b.Length];
    }
}
