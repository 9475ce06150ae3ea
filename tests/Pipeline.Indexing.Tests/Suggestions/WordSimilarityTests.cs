using Pipeline.Indexing.Suggestions;
using Xunit;

namespace Pipeline.Indexing.Tests.Suggestions;

/// <summary>Similarities computed by hand from the measures' definitions, or known from the literature.</summary>
public sealed class WordSimilarityTests
{
    [Theory]
    [InlineData("kitten", "sitting", 1 - 3 / 7f)]
    [InlineData("chai", "chaig", 1 - 1 / 5f)]
    [InlineData("chai", "chai", 1)]
    [InlineData("ab", "ba", 0)]
    [InlineData("ab", "xyz", 0)]
    [InlineData("\u00E9t\u00E9", "ete", 1 - 2 / 3f)]
    [InlineData("\U0001F600a", "\U0001F601a", 1 / 2f)]
    public void Levenshtein(string word, string other, float expected) =>
        Check(SuggestionDistance.Levenshtein, word, other, expected);

    [Theory]
    [InlineData("martha", "marhta", 0.9611)]
    [InlineData("dixon", "dicksonx", 0.8133)]
    [InlineData("dwayne", "duane", 0.84)]
    [InlineData("jones", "johnson", 0.8324)]
    [InlineData("abc", "xyz", 0)]
    [InlineData("same", "same", 1)]
    public void Jaro_Winkler(string word, string other, float expected) =>
        Check(SuggestionDistance.JaroWinkler, word, other, expected);

    [Theory]
    [InlineData("abc", "abd", 1 - 0.5f / 3)] // the third pairs agree in one of two characters
    [InlineData("abc", "xbc", 1 - 1.5f / 3)] // the first characters differ, with nothing before them; the second pairs by half
    [InlineData("chai", "chaig", 1 - 1 / 5f)]
    [InlineData("ab", "ba", 0)]
    [InlineData("a", "abc", 1 / 3f)]
    [InlineData("a", "b", 0)]
    [InlineData("same", "same", 1)]
    public void N_gram(string word, string other, float expected) =>
        Check(SuggestionDistance.NGram, word, other, expected);

    [Fact]
    public void Levenshtein_given_up_early_is_never_too_high_and_never_too_low()
    {
        var random = new Random(7);
        string Word() => new([.. Enumerable.Range(0, random.Next(1, 9)).Select(_ => (char)('a' + random.Next(3)))]);
        for (var n = 0; n < 2000; n++)
        {
            var (word, other, least) = (Word(), Word(), random.Next(0, 10) / 10f);
            var exact = 1 - Edits(word, other) / (float)Math.Max(word.Length, other.Length);
            var similarity = Of(SuggestionDistance.Levenshtein, word, other, least);
            if (exact >= least)
                Assert.Equal(exact, similarity, 5);
            else
                Assert.True(similarity < least);
        }
    }

    private static void Check(SuggestionDistance distance, string word, string other, float expected)
    {
        Assert.Equal(expected, Of(distance, word, other, 0), 4);
        Assert.Equal(expected, Of(distance, other, word, 0), 4);
    }

    private static float Of(SuggestionDistance distance, string word, string other, float least) =>
        new WordSimilarity(distance, CodePoints(word)).With(CodePoints(other), least);

    private static int[] CodePoints(string text) => [.. text.EnumerateRunes().Select(r => r.Value)];

    /// <summary>The definition itself.</summary>
    private static int Edits(ReadOnlySpan<char> a, ReadOnlySpan<char> b) =>
        a.IsEmpty ? b.Length
        : b.IsEmpty ? a.Length
        : Math.Min(Math.Min(Edits(a[1..], b), Edits(a, b[1..])) + 1, Edits(a[1..], b[1..]) + (a[0] == b[0] ? 0 : 1));
}
