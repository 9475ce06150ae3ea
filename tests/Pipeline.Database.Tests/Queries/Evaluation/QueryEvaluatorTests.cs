using System.Text;
using Pipeline.Database.Queries.Evaluation;
using Pipeline.Database.Queries.Language;
using Pipeline.Database.Queries.Language.Syntax;
using Pipeline.Documents;
using Pipeline.Scripting.Runtime;
using Xunit;

namespace Pipeline.Database.Tests.Queries.Evaluation;

/// <summary>The values of <c>select</c> and the conditions of <c>filter</c>, for one document.</summary>
public sealed class QueryEvaluatorTests : IAsyncLifetime
{
    private readonly DocumentDatabase _database = TestDatabase.Open();
    private DatabaseSnapshot _snapshot = null!;

    public async Task InitializeAsync()
    {
        await _database.PutAsync(
            "companies/1",
            Encoding.UTF8.GetBytes("""{"Name":"Alfreds","City":"Berlin","@metadata":{"@collection":"Companies"}}""")
        );
        await _database.PutAsync(
            "orders/1",
            Encoding.UTF8.GetBytes(
                """
                {"Company":"companies/1","Freight":2.5,"Count":7,"Note":null,"Text":"Ship it","Flag":true,"When":"2020-02-03T00:00:00","Empty":[],
                 "ShipTo":{"City":"Oslo","a b":{"c":1}},"Tags":["x","Y"],"Big":9007199254740993,"Tiny":1e-400,
                 "Lines":[{"Product":"p/1","Price":10,"Quantity":2,"Tags":["a","b"]},{"Product":"p/2","Price":1.5,"Quantity":3,"Tags":["c"]}],"@metadata":{"@collection":"Orders","Mine":1}}
                """
            )
        );
        _snapshot = _database.OpenSnapshot();
    }

    public async Task DisposeAsync()
    {
        _snapshot.Dispose();
        await _database.DisposeAsync();
    }

    [Theory]
    [InlineData("Freight", "2.5")]
    [InlineData("o.Freight", "2.5")]
    [InlineData("o.ShipTo.City", "\"Oslo\"")]
    [InlineData("o.ShipTo.'a b'.c", "1")]
    [InlineData("o.Missing.Deep", "null")]
    [InlineData("Note", "null")]
    [InlineData("o.Lines[].Product", "[\"p/1\",\"p/2\"]")]
    [InlineData("o.Lines[].Tags[]", "[\"a\",\"b\",\"c\"]")]
    [InlineData("o.Lines[].Tags", "[[\"a\",\"b\"],[\"c\"]]")]
    [InlineData("o.Lines[1].Product", "\"p/2\"")]
    [InlineData("o.Lines[7].Product", "null")]
    [InlineData("o.Lines.length", "2")]
    [InlineData("o.Text.length", "7")]
    [InlineData("o['Text']", "\"Ship it\"")]
    [InlineData("o.Text[0]", "\"S\"")]
    [InlineData("Count + 1", "8")]
    [InlineData("Count - 1 - 2", "4")]
    [InlineData("Count / 2", "3.5")]
    [InlineData("Count % 4", "3")]
    [InlineData("Count / 0", "null")]
    [InlineData("Freight * 2", "5")]
    [InlineData("0.1 + 0.2", "0.3")]
    [InlineData("Big + 1", "9007199254740994")]
    [InlineData("-Count", "-7")]
    [InlineData("-Text", "null")]
    [InlineData("Note + 1", "null")]
    [InlineData("Text * 2", "null")]
    [InlineData("Text + '!' + Count", "\"Ship it!7\"")]
    [InlineData("Text + Note", "\"Ship it\"")]
    [InlineData("1e300 * 1e300", "null")]
    [InlineData("Count > 5 ? 'many' : 'few'", "\"many\"")]
    [InlineData("Missing ? 1 : 2", "2")]
    [InlineData("Flag && Text", "\"Ship it\"")]
    [InlineData("Note || 'none'", "\"none\"")]
    [InlineData("!Flag", "false")]
    [InlineData("Count = 7.0", "true")]
    [InlineData("Text == 'ship it'", "false")]
    [InlineData("Note = null", "true")]
    [InlineData("When < '2020-02-04'", "true")]
    [InlineData("Missing < 1", "false")]
    [InlineData("Tags[] = 'x'", "true")]
    [InlineData("Lines[].Price > 5", "true")]
    [InlineData("Lines[].Price > 50", "false")]
    [InlineData("Count between 1 and 7", "true")]
    [InlineData("Count in (1, 7)", "true")]
    [InlineData("Count in ($list)", "true")]
    [InlineData("Tags all in ('x', 'Y')", "true")]
    [InlineData("Tags all in ('x', 'z')", "false")]
    [InlineData("[1, Text, []]", "[1,\"Ship it\",[]]")]
    [InlineData(
        "{ A: Count, 'b c': { D: $p }, ...o.ShipTo.'a b', A: 2 }",
        "{\"A\":2,\"b c\":{\"D\":\"given\"},\"c\":1}"
    )]
    [InlineData("{ Text }", "{\"Text\":\"Ship it\"}")]
    [InlineData("id()", "\"orders/1\"")]
    [InlineData("id(o)", "\"orders/1\"")]
    [InlineData("id(c)", "\"companies/1\"")]
    [InlineData("c.Name", "\"Alfreds\"")]
    [InlineData("load(o.Company).City", "\"Berlin\"")]
    [InlineData("load('nobody').City", "null")]
    [InlineData("load([o.Company])[0].City", "\"Berlin\"")]
    [InlineData("getMetadata(o).'@collection'", "\"Orders\"")]
    [InlineData("getMetadata(c).'@id'", "\"companies/1\"")]
    [InlineData("getMetadata(load(o.Company)).'@collection'", "\"Companies\"")]
    [InlineData("o.@metadata.Mine", "1")]
    [InlineData("@metadata.@last-modified", "\"2026-01-02T03:04:05.0000000Z\"")]
    [InlineData("lastModified(o)", "\"2026-01-02T03:04:05.0000000Z\"")]
    [InlineData("score()", "1.5")]
    [InlineData("o.Lines.map(l => l.Price * l.Quantity)", "[20,4.5]")]
    [InlineData("o.Lines.map((l, i) => i + l.Product)", "[\"0p/1\",\"1p/2\"]")]
    [InlineData(
        "o.Lines.map(l => ({ P: l.Product, C: o.Count }))",
        "[{\"P\":\"p/1\",\"C\":7},{\"P\":\"p/2\",\"C\":7}]"
    )]
    [InlineData("o.Lines.map(l => l.Tags.map(t => t + l.Quantity))", "[[\"a2\",\"b2\"],[\"c3\"]]")]
    [InlineData("o.Lines.filter(l => l.Price > 5).length", "1")]
    [InlineData("o.Lines.flatMap(l => l.Tags)", "[\"a\",\"b\",\"c\"]")]
    [InlineData("o.Lines.some(l => l.Price > 5) && !o.Lines.every(l => l.Price > 5)", "true")]
    [InlineData("o.Lines.find(l => l.Quantity == 3).Product", "\"p/2\"")]
    [InlineData("o.Lines.findIndex(l => l.Quantity == 3)", "1")]
    [InlineData("o.Lines.reduce((sum, l) => sum + l.Price * l.Quantity, 0)", "24.5")]
    [InlineData("o.Empty.reduce((a, b) => a + b)", "null")]
    [InlineData("o.Tags.join('-')", "\"x-Y\"")]
    [InlineData("o.Tags.includes('Y')", "true")]
    [InlineData("o.Tags.indexOf('Z')", "-1")]
    [InlineData("o.Tags.concat(['z'], 1).slice(-3, -1)", "[\"Y\",\"z\"]")]
    [InlineData("o.Tags.reverse()", "[\"Y\",\"x\"]")]
    [InlineData("[3, 1, 2].sort()", "[1,2,3]")]
    [InlineData("o.Missing.map(l => l)", "null")]
    [InlineData("o.Text.map(l => l)", "null")]
    [InlineData("o.Text.toUpperCase()", "\"SHIP IT\"")]
    [InlineData("(' a ' + Text).trim().toLowerCase()", "\"a ship it\"")]
    [InlineData("o.Text.startsWith('Sh') && o.Text.endsWith('it') && o.Text.includes('p i')", "true")]
    [InlineData("o.Text.substring(5, 2)", "\"ip \"")]
    [InlineData("o.Text.substr(5, 99)", "\"it\"")]
    [InlineData("o.Text.slice(-2)", "\"it\"")]
    [InlineData("o.Text.split(' ')", "[\"Ship\",\"it\"]")]
    [InlineData("o.Text.replace('i', 'o')", "\"Shop it\"")]
    [InlineData("o.Text.replaceAll('i', 'o')", "\"Shop ot\"")]
    [InlineData("o.Freight.toFixed(2)", "\"2.50\"")]
    [InlineData("o.Count.toString() + 1", "\"71\"")]
    [InlineData("Math.round(Freight) + Math.floor(-Freight)", "0")]
    [InlineData("Math.max(Count, Freight, 3)", "7")]
    [InlineData("Math.sqrt(-1)", "null")]
    [InlineData("Math.pow(2, 10)", "1024")]
    [InlineData("Object.keys(o.ShipTo)", "[\"City\",\"a b\"]")]
    [InlineData("parseInt('12.7') + Number('1.5')", "13.5")]
    [InlineData("String(Note) + String(1)", "\"1\"")]
    [InlineData("startsWith(Text, 'Ship') and exists(Flag) and not exists(Note)", "true")]
    public void A_value(string expression, string expected)
    {
        var query = QueryParser.Parse($"from Orders as o load o.Company as c select {expression}");
        new ExpressionCheck(query).Check(query.Select!.Items[0].Expression);
        var writer = new JsonBodyWriter();
        writer.Value(Evaluate(query.Select!.Items[0].Expression));
        Assert.Equal(expected, Encoding.UTF8.GetString(writer.Written));
    }

    [Theory]
    [InlineData(
        "f(o)",
        "1:61: the declared function 'f' is JavaScript, which is not available here; write its value in 'select' itself: select { Name: o.Name }."
    )]
    [InlineData("o.Text.padStrt(3)", "1:61: padStrt() is not supported in values.")]
    [InlineData("o.Text.toUperCase()", "1:61: toUperCase() is not supported in values; did you mean 'toUpperCase'?")]
    [InlineData("Math.sin(1)", "1:61: Math.sin() is not supported in values; did you mean 'sign'?")]
    [InlineData(
        "{ A: [x => 1] }",
        "1:67: a function can only be the first argument of map, filter, flatMap, some, every, find, findIndex, reduce."
    )]
    [InlineData(
        "Math.round(x => 1)",
        "1:72: a function can only be the first argument of map, filter, flatMap, some, every, find, findIndex, reduce."
    )]
    [InlineData(
        "Object.keys(x => 1)",
        "1:73: a function can only be the first argument of map, filter, flatMap, some, every, find, findIndex, reduce."
    )]
    [InlineData(
        "o.Lines.concat(1, x => 1)",
        "1:79: a function can only be the first argument of map, filter, flatMap, some, every, find, findIndex, reduce."
    )]
    [InlineData(
        "o.Lines.reduce(a => 1, b => 2)",
        "1:84: a function can only be the first argument of map, filter, flatMap, some, every, find, findIndex, reduce."
    )]
    [InlineData(
        "o.Lines.sort((a, b) => 1)",
        "1:74: a function can only be the first argument of map, filter, flatMap, some, every, find, findIndex, reduce."
    )]
    [InlineData("search(Text, 'a')", "1:61: search() is not supported in values.")]
    public void What_is_beyond_the_evaluator_is_refused_before_it_runs(string expression, string message)
    {
        var query = QueryParser.Parse($"declare function f(a) {{ return a; }} from Orders as o select {expression}");
        var error = Assert.Throws<InvalidQueryException>(() =>
            new ExpressionCheck(query).Check(query.Select!.Items[0].Expression)
        );
        Assert.Equal(QueryErrorKind.NotSupported, error.Kind);
        Assert.Equal("Invalid query at " + message, error.Message);
    }

    private ScriptValue? Evaluate(ExpressionSyntax expression)
    {
        Assert.True(_snapshot.TryGet("orders/1", out var order));
        Assert.True(_snapshot.TryGet("companies/1", out var company));
        var evaluator = new QueryEvaluator(
            name => name == "p" ? new TextValue("given") : new ListValue(new List<object?> { 1, 7 }),
            id => _snapshot.TryGet(id, out var found) ? found : null
        );
        var root = DocumentValue.Create(order.Body.Root);
        var scope = new EvaluationScope
        {
            Root = root,
            Document = order,
            Score = 1.5,
        };
        scope.Push("o", root, order);
        scope.Push("c", DocumentValue.Create(company.Body.Root), company);
        return evaluator.Evaluate(expression, scope);
    }
}
