using Pipeline.Database.Queries.Language;
using Pipeline.Database.Queries.Language.Syntax;
using Xunit;

namespace Pipeline.Database.Tests.Queries.Language;

/// <summary>The trees, canonical texts and errors of given queries.</summary>
public sealed class QueryParserTests
{
    [Fact]
    public void Queries_are_read_as_the_golden_trees_say()
    {
        var golden = GoldenQueries.Read("Trees.txt").ToList();
        Assert.True(golden.Count >= 40, $"only {golden.Count} trees were found");
        Assert.All(
            golden,
            g =>
            {
                var query = QueryParser.Parse(g.Text);
                Assert.Equal(g.Expected, SyntaxDump.Of(query) + " | " + query);
            }
        );
    }

    [Fact]
    public void Queries_are_refused_as_the_golden_errors_say()
    {
        var golden = GoldenQueries.Read("Errors.txt").ToList();
        Assert.True(golden.Count >= 70, $"only {golden.Count} errors were found");
        Assert.All(
            golden,
            g =>
            {
                var error = Assert.Throws<InvalidQueryException>(() => QueryParser.Parse(g.Text));
                Assert.Equal(g.Expected, $"{error.Kind} <{error.OffendingText}> {error.Message}");
            }
        );
    }

    [Fact]
    public void Too_long_a_text_is_refused_with_the_limit()
    {
        var error = Assert.Throws<InvalidQueryException>(() =>
            QueryParser.Parse("from a" + new string(' ', QueryTextLimits.MaxLength))
        );
        Assert.Equal(QueryErrorKind.Limit, error.Kind);
        Assert.Contains("MaxLength, 1048576", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void An_error_has_its_parts()
    {
        var error = Assert.Throws<InvalidQueryException>(() =>
            QueryParser.Parse("from Orders\nwhere Totl > 1 oder x = 2")
        );
        Assert.Equal(
            (2, 16, "oder", new SourceSpan(27, 4)),
            (error.Line, error.Column, error.OffendingText, error.Span)
        );
        Assert.Equal("did you mean 'order'?", error.Suggestion ?? "", StringComparer.Ordinal);
    }

    [Fact]
    public void An_error_about_a_long_text_is_short()
    {
        var names = string.Join('.', Enumerable.Repeat(new string('n', 1000), 20));
        var error = Assert.Throws<InvalidQueryException>(() =>
            Pipeline.Database.Queries.Demands.IndexDemandReader.Read(
                QueryParser.Parse($"from Orders where {names}.f(1) = 1")
            )
        );
        Assert.InRange(error.Message.Length, 100, 500);
        Assert.InRange(error.OffendingText.Length, 1, 61);
    }

    [Fact]
    public void Nodes_know_their_place()
    {
        const string text = "from Orders where search(Name, 'x') and a.b[].c in (1, 2)";
        var and = Assert.IsType<LogicalSyntax>(QueryParser.Parse(text).Where);
        Assert.Equal("search(Name, 'x')", text.Substring(and.Operands[0].Span.Start, and.Operands[0].Span.Length));
        Assert.Equal("a.b[].c in (1, 2)", text.Substring(and.Operands[1].Span.Start, and.Operands[1].Span.Length));
        var field = ((InSyntax)and.Operands[1]).Operand;
        Assert.Equal("a.b[].c", text.Substring(field.Span.Start, field.Span.Length));
    }

    [Fact]
    public void A_condition_alone_is_read()
    {
        Assert.Equal("'a b' = 1 and x in ($p)", QueryParser.ParseCondition("'a b' == 1 && x IN $p").ToString());
        Assert.Throws<InvalidQueryException>(() => QueryParser.ParseCondition("a = 1 select b"));
    }
}
