using Pipeline.Database.Queries.Language;
using Pipeline.Database.Queries.Language.Lucene;
using Xunit;

namespace Pipeline.Database.Tests.Queries.Language;

/// <summary>Lucene's classic query syntax: trees, errors, and any text.</summary>
public sealed class LuceneParserTests
{
    [Theory]
    [InlineData("word", "word")]
    [InlineData("  two words ", "(word:two word:words)")]
    [InlineData("a AND b", "(+a +b)")]
    [InlineData("a && b || c", "(+a +b c)")]
    [InlineData("a AND b OR c", "(+a +b c)")]
    [InlineData("a OR b AND c", "(a +b +c)")]
    [InlineData("a AND NOT b", "(+a -b)")]
    [InlineData("NOT a", "(-a)")]
    [InlineData("+a -b !c d", "(+a -b -c d)")]
    [InlineData("a and or not b", "(a and or not b)")]
    [InlineData("title:word", "title:word")]
    [InlineData("title:(a b)", "title:(a b)")]
    [InlineData("title:(a)^2", "title:(a)^2")]
    [InlineData("(a OR b) AND c", "(+(a b) +c)")]
    [InlineData("\"new york\"", "\"new york\"")]
    [InlineData("title:\"new york\"~3^2.5", "title:\"new york\"~3^2.5")]
    [InlineData("roam~", "roam~")]
    [InlineData("roam~0.8", "roam~0.8")]
    [InlineData("roam~2^3", "roam~2^3")]
    [InlineData("te?t te*", "(<te?t> <te*>)")]
    [InlineData(@"te\*t\?", "te*t?")]
    [InlineData(@"te\*t*\\x", @"<te\*t*\\x>")]
    [InlineData(@"a\:b \(c\) \+d e-f", "(a:b (c) +d e-f)")]
    [InlineData("year:[1990 TO 2000]", "year:[1990 TO 2000]")]
    [InlineData("{a TO b}", "{a TO b}")]
    [InlineData("[* TO b}", "[* TO b}")]
    [InlineData("[\"a b\" TO *]", "[a b TO *]")]
    [InlineData("/joh?n(ath[oa]n)/", "/joh?n(ath[oa]n)/")]
    [InlineData(@"path:/a\/b/", "path:/a/b/")]
    [InlineData("*:*", "*:*")]
    [InlineData("title:*", "title:<*>")]
    [InlineData("ANDROID NOTE ORDER", "(ANDROID NOTE ORDER)")]
    [InlineData("Ærø 東京", "(Ærø 東京)")]
    public void A_text_is_read(string text, string expected) =>
        Assert.Equal(expected.Replace("word:", "", StringComparison.Ordinal), Show(LuceneParser.Parse(text)!));

    [Theory]
    [InlineData("", null)]
    [InlineData(" \t", null)]
    public void A_blank_text_is_nothing(string text, string? expected) =>
        Assert.Equal(expected, LuceneParser.Parse(text)?.ToString());

    [Theory]
    [InlineData("(a", "1:1", "this parenthesis is not closed; add ')'")]
    [InlineData("a)", "1:2", "')' closes nothing; put a backslash before it to search for it")]
    [InlineData("()", "1:2", "there is nothing in the parentheses")]
    [InlineData("\"a b", "1:1", "this phrase is not closed; add '\"'")]
    [InlineData("/a b", "1:1", "this regular expression is not closed; add '/', or put a backslash before it")]
    [InlineData("AND a", "1:4", "a clause is expected before AND or OR; write a AND b")]
    [InlineData("a AND", "1:6", "a clause is expected here")]
    [InlineData("a +", "1:4", "a clause is expected here")]
    [InlineData("title:", "1:7", "a value is expected after 'title:'")]
    [InlineData(":a", "1:1", "':' cannot stand here; put a backslash before it to search for it")]
    [InlineData("a^", "1:2", "a number is expected after '^'; for instance ^2")]
    [InlineData("a^1.2.3", "1:3", "'1.2.3' is not a number")]
    [InlineData("[a b]", "1:4", "'TO' is expected in a range; write [low TO high]")]
    [InlineData("[a TO b", "1:1", "this range is not closed; add ']', or '}' to leave the end out")]
    [InlineData("[ TO b]", "1:6", "'TO' is expected in a range; write [low TO high]")]
    [InlineData("a*~", "1:3", "'~' follows a word or a phrase")]
    [InlineData("a:b:c", "1:4", "':' cannot stand here; put a backslash before it to search for it")]
    [InlineData("a ]", "1:3", "']' cannot stand here; put a backslash before it to search for it")]
    public void A_wrong_text_is_refused_with_place_and_mend(string text, string place, string message)
    {
        var error = Assert.Throws<InvalidQueryException>(() => LuceneParser.Parse(text));
        Assert.Equal($"Invalid query at {place}: {message}.", error.Message);
    }

    [Fact]
    public void Any_text_is_read_or_refused()
    {
        var random = new Random(5);
        string[] parts =
        [
            "a",
            "b c",
            " ",
            "\"",
            "(",
            ")",
            "[",
            "]",
            "{",
            "}",
            "~",
            "^",
            "2",
            "0.5",
            ":",
            "*",
            "?",
            "\\",
            "/",
            "+",
            "-",
            "!",
            " AND ",
            " OR ",
            " NOT ",
            " TO ",
            "&&",
            "||",
            "é",
            "\ud800",
        ];
        var read = 0;
        for (var i = 0; i < 20_000; i++)
        {
            var text = string.Concat(
                Enumerable.Range(0, random.Next(12)).Select(_ => parts[random.Next(parts.Length)])
            );
            try
            {
                LuceneParser.Parse(text);
                read++;
            }
            catch (InvalidQueryException error)
            {
                Assert.True(error.Span.End <= text.Length, text);
            }
        }

        Assert.InRange(read, 2_000, 18_000);
        Assert.Equal(
            QueryErrorKind.Limit,
            Assert.Throws<InvalidQueryException>(() => LuceneParser.Parse(new string('(', 100_000))).Kind
        );
    }

    private static string Show(LuceneNode node)
    {
        var boost = node.Boost == 1 ? "" : "^" + node.Boost;
        var field = node.Field is null ? "" : node.Field + ":";
        return field
            + node switch
            {
                LuceneTerm { Kind: LuceneTermKind.Wildcard } term => "<" + term.Text + ">",
                LuceneTerm { Kind: LuceneTermKind.Fuzzy } term => term.Text + "~" + term.Fuzziness,
                LuceneTerm { Kind: LuceneTermKind.Regex } term => "/" + term.Text + "/",
                LuceneTerm term => term.Text,
                LucenePhrase phrase => "\"" + phrase.Text + "\"" + (phrase.Slop > 0 ? "~" + phrase.Slop : ""),
                LuceneRange range => (range.IncludesLow ? "[" : "{")
                    + (range.Low ?? "*")
                    + " TO "
                    + (range.High ?? "*")
                    + (range.IncludesHigh ? "]" : "}"),
                LuceneBoolean boolean => "("
                    + string.Join(
                        ' ',
                        boolean.Clauses.Select(c =>
                            c.Occurrence switch
                            {
                                LuceneOccurrence.Must => "+",
                                LuceneOccurrence.MustNot => "-",
                                _ => "",
                            } + Show(c.Node)
                        )
                    )
                    + ")",
                _ => "*:*",
            }
            + boost;
    }
}
