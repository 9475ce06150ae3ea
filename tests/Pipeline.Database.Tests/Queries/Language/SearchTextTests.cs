using Pipeline.Database.Queries.Language;
using Xunit;

namespace Pipeline.Database.Tests.Queries.Language;

/// <summary>The text of <c>search()</c>: words, phrases and patterns; nothing in it is an error.</summary>
public sealed class SearchTextTests
{
    [Theory]
    [InlineData("", "")]
    [InlineData("new york", "new|york")]
    [InlineData("  new\tyork\n", "new|york")]
    [InlineData("\"new york\" city", "\"new york\"|city")]
    [InlineData("say \"hello", "say|\"hello\"")]
    [InlineData("\"\" x", "x")]
    [InlineData("star* *ing at? wh?t*", @"<star*>|<*ing>|at?|<wh\?t*>")]
    [InlineData(@"5\* \""quoted\"" back\\slash \x", "5*|\"quoted\"!|back\\slash|\\x")]
    [InlineData(@"a\*b*", @"<a\*b*>")]
    [InlineData("a\"b c\"d", "a|\"b c\"|d")]
    [InlineData("-a +b c:d", "-a|+b|c:d")]
    public void A_text_is_cut(string text, string expected) =>
        Assert.Equal(
            expected.Replace("\"quoted\"!", "=quoted=", StringComparison.Ordinal),
            string.Join(
                '|',
                SearchText
                    .Parse(text)
                    .Select(p =>
                        p.Kind switch
                        {
                            SearchPartKind.Phrase => "\"" + p.Text + "\"",
                            SearchPartKind.Wildcard => "<" + p.Text + ">",
                            _ => p.Text.StartsWith('"') ? p.Text.Replace('"', '=') : p.Text,
                        }
                    )
            )
        );
}
