using Pipeline.Database.Queries.Language;
using Xunit;

namespace Pipeline.Database.Tests.Queries.Language;

/// <summary>A query with <c>update</c> is a query and a script.</summary>
public sealed class UpdateQueryTests
{
    [Theory]
    [InlineData("from Orders update { this.A = 1 }", "from Orders", " this.A = 1 ")]
    [InlineData(
        "from Orders as o where o.Total > $p0 update { o.A = '}' }",
        "from Orders as o where o.Total > $p0",
        "const o = this;  o.A = '}' "
    )]
    [InlineData(
        "declare function f(n) { return n + 1 } from index 'X/Y' as x update { x.A = f(x.A) }",
        "from index 'X/Y' as x",
        "function f(n) { return n + 1 } const x = this;  x.A = f(x.A) "
    )]
    public void It_is_split(string text, string selection, string script)
    {
        var query = UpdateQuery.Parse(text);
        Assert.Equal(script, query.Script);
        Assert.Equal(QueryParser.Parse(selection).ToString(), query.Selection);
    }

    [Theory]
    [InlineData("from Orders where A = 1", QueryErrorKind.Meaning, 1, 24, "no 'update { … }'")]
    [InlineData(
        "from Orders as o load o.Company as c update { o.A = 1 }",
        QueryErrorKind.NotSupported,
        1,
        23,
        "call load(id) in the script"
    )]
    [InlineData("from Orders update", QueryErrorKind.Syntax, 1, 19, "")]
    public void What_is_none_is_refused_at_its_place(
        string text,
        QueryErrorKind kind,
        int line,
        int column,
        string part
    )
    {
        var refused = Assert.Throws<InvalidQueryException>(() => UpdateQuery.Parse(text));
        Assert.Equal((kind, line, column), (refused.Kind, refused.Line, refused.Column));
        Assert.Contains(part, refused.Message, StringComparison.Ordinal);
    }
}
