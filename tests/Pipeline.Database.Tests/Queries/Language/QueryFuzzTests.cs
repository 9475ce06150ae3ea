using Pipeline.Database.Queries.Language;
using Pipeline.Database.Queries.Language.Syntax;
using Pipeline.TestKit.Queries;
using Xunit;

namespace Pipeline.Database.Tests.Queries.Language;

/// <summary>Any text is parsed or refused; the canonical text of a parsed query parses to the same tree.</summary>
public sealed class QueryFuzzTests
{
    [Fact]
    public void Texts_of_the_grammar_read_back_from_their_canonical_text()
    {
        var read = 0;
        for (var seed = 0; seed < 4_000; seed++)
            read += Check(new QueryTexts(seed).Query(), seed) ? 1 : 0;
        Assert.True(read > 3_000, $"only {read} of 4000 texts were read");
    }

    [Fact]
    public void Mutated_texts_are_read_or_refused_with_a_place()
    {
        var read = 0;
        for (var seed = 0; seed < 12_000; seed++)
        {
            var texts = new QueryTexts(seed);
            read += Check(texts.Mutate(texts.Query()), seed) ? 1 : 0;
        }

        Assert.InRange(read, 500, 11_000);
    }

    [Fact]
    public void Random_characters_are_refused_with_a_place()
    {
        var random = new Random(7);
        for (var i = 0; i < 2_000; i++)
        {
            var text = new char[random.Next(60)];
            for (var c = 0; c < text.Length; c++)
                text[c] = (char)random.Next(random.Next(3) == 0 ? 0x10000 : 128);
            Check((i % 2 == 0 ? "from a where " : "") + new string(text), i);
        }
    }

    [Theory]
    [InlineData("(", ")")]
    [InlineData("not ", "")]
    [InlineData("-", "")]
    [InlineData("!", "")]
    [InlineData("exact(", ")")]
    [InlineData("a[", "]")]
    [InlineData("[", "]")]
    [InlineData("{ a: ", "}")]
    [InlineData("l => ", "")]
    [InlineData("true ? 1 : ", "")]
    [InlineData("a + ", "")]
    [InlineData("a = 1 and ", "")]
    [InlineData("a.b().", "")]
    [InlineData("(1 + ", ") + 1")]
    public void Depth_is_bounded_and_long_texts_take_no_long_time(string open, string close)
    {
        Check($"from a select {Repeat(open, 40)}x{Repeat(close, 40)}", 0);
        Check($"from a where {Repeat(open, 20_000)}x{Repeat(close, 20_000)}", 0);
    }

    [Fact]
    public void A_long_chain_of_conditions_is_one_node()
    {
        var text = "from a where " + string.Join(" or ", Enumerable.Range(0, 20_000).Select(i => $"x = {i}"));
        var chain = Assert.IsType<LogicalSyntax>(QueryParser.Parse(text).Where);
        Assert.Equal(20_000, chain.Operands.Count);
        Assert.Equal(text, QueryParser.Parse(text).ToString());
    }

    private static string Repeat(string text, int times) => string.Concat(Enumerable.Repeat(text, times));

    private static bool Check(string text, int seed)
    {
        QuerySyntax query;
        try
        {
            query = QueryParser.Parse(text);
        }
        catch (InvalidQueryException error)
        {
            Assert.InRange(error.Span.Start, 0, text.Length);
            Assert.True(error.Span.End <= text.Length, $"seed {seed}: the error's place ends behind the text: {text}");
            Assert.NotEqual("", error.Reason);
            return false;
        }

        var canonical = query.ToString();
        try
        {
            var again = QueryParser.Parse(canonical);
            Assert.True(
                SyntaxDump.Of(query) == SyntaxDump.Of(again),
                $"seed {seed}:\n{text}\n{canonical}\n{SyntaxDump.Of(query)}\n{SyntaxDump.Of(again)}"
            );
            Assert.Equal(canonical, again.ToString());
        }
        catch (InvalidQueryException error)
        {
            Assert.Fail($"seed {seed}: {error.Message}\n{text}\n{canonical}");
        }

        return true;
    }
}
