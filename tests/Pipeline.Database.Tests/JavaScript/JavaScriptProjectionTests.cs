using System.Text;
using Pipeline.Database.Indexes;
using Pipeline.Database.Queries;
using Pipeline.Database.Queries.Catalog;
using Pipeline.Database.Queries.Language;
using Pipeline.Documents;
using Pipeline.Json;
using Pipeline.Scripting;
using Xunit;

namespace Pipeline.Database.Tests.JavaScript;

/// <summary>JavaScript in <c>select</c>, and declared functions.</summary>
public sealed class JavaScriptProjectionTests : IAsyncLifetime
{
    private readonly DocumentDatabase _database = DocumentDatabase.Open(new DatabaseOptions { Name = "js" });

    public async Task InitializeAsync()
    {
        await PutAsync("companies/1", """{"Name":"Ada & Co","@metadata":{"@collection":"Companies"}}""");
        await PutAsync(
            "orders/1",
            """{"Company":"companies/1","Total":10.25,"Lines":[{"P":"p","N":2},{"P":"q","N":3}],"@metadata":{"@collection":"Orders"}}"""
        );
        await PutAsync(
            "orders/2",
            """{"Company":"companies/9","Total":20,"Lines":[],"@metadata":{"@collection":"Orders"}}"""
        );
        await _database.WriteAsync(t =>
            t.PutCompareExchange("companies/1", BinaryJson.Parse("""{"Object":{"City":"Oslo"}}"""u8), 0)
        );
    }

    public async Task DisposeAsync() => await _database.DisposeAsync();

    [Theory]
    [InlineData(
        "from Orders as o select { N: o.Lines.map(function (l) { return l.N; }).reduce((a, b) => a + b, 0), T: o.Total.toFixed(2) }",
        """{"N":5,"T":"10.25"}""",
        """{"N":0,"T":"20.00"}"""
    )]
    [InlineData(
        "declare function add(lines) { let n = 0; for (const l of lines) { n += l.N; } return n; } from Orders as o select { Sum: add(o.Lines), Company: o.Company }",
        """{"Sum":5,"Company":"companies/1"}""",
        """{"Sum":0,"Company":"companies/9"}"""
    )]
    [InlineData(
        "declare function whole(o) { return o; } from Orders as o where id() = 'orders/2' select whole(o)",
        """{"Company":"companies/9","Total":20,"Lines":[]}"""
    )]
    [InlineData(
        "declare function f(o, more) { return o.Total + more; } from Orders as o select id(o) as Id, f(o, $more) as T",
        """{"Id":"orders/1","T":15.25}""",
        """{"Id":"orders/2","T":25}"""
    )]
    [InlineData(
        "from Orders as o load o.Company as c select { Name: (() => c ? c.Name : null)(), Of: getMetadata(o)['@collection'] }",
        """{"Name":"Ada & Co","Of":"Orders"}""",
        """{"Name":null,"Of":"Orders"}"""
    )]
    [InlineData(
        "from Orders as o select { City: (cmpxchg(o.Company) || { City: '-' }).City, Name: (load(o.Company) || {}).Name }",
        """{"City":"Oslo","Name":"Ada & Co"}""",
        """{"City":"-"}"""
    )]
    [InlineData(
        "declare function big(o) { if (o.Total > 15) return { T: o.Total }; return null; } from Orders as o select big(o)",
        """{"T":20}"""
    )]
    [InlineData(
        "from Orders as o where o.Total > 15 select { Day: new Date('2026-01-31').getUTCDate() } limit 1",
        """{"Day":31}"""
    )]
    public async Task A_projection_gives(string query, params string[] expected)
    {
        var result = await RunAsync(query);
        Assert.Equal(expected, result.Items.Select(i => i.ToString()));
    }

    [Fact]
    public async Task Scripts_give_documents_and_values_along()
    {
        const string query =
            "declare function with_(o) { include(o.Company); includes.cmpxchg([o.Company]); return o; } from Orders as o select with_(o)";
        var result = await RunAsync(query);
        Assert.Equal("companies/1", result.Includes["companies/1"]!.Id);
        Assert.Equal("companies/1", result.CompareExchangeIncludes["companies/1"]!.Key);
        Assert.True((await _database.QueryAsync(new QueryRequest(query) { IfNoneMatch = result.ETag })).IsNotModified);
        await PutAsync("companies/1", """{"Name":"New","@metadata":{"@collection":"Companies"}}""");
        Assert.False((await _database.QueryAsync(new QueryRequest(query) { IfNoneMatch = result.ETag })).IsNotModified);
    }

    [Theory]
    [InlineData("from Orders as o select { A: o.Lines.map(function (l) { throw new Error('bad'); }) }", "bad")]
    [InlineData(
        "declare function f(o) { return 7; } from Orders as o select f(o)",
        "'select' gives an object, not '7'"
    )]
    [InlineData("declare function f(o) { while (true) { } } from Orders as o select f(o)", "limits.steps")]
    [InlineData("declare function f(o) { return eval('1'); } from Orders as o select f(o)", "disabled")]
    public async Task What_a_script_may_not_do_ends_the_query(string query, string expected)
    {
        var error = await Assert.ThrowsAnyAsync<ScriptRuntimeException>(() => RunAsync(query));
        Assert.Contains(expected, error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task What_is_no_JavaScript_is_an_invalid_query()
    {
        var error = await Assert.ThrowsAsync<InvalidQueryException>(() =>
            RunAsync("declare function f(o) { return ; ; ( } from Orders as o select f(o)")
        );
        Assert.Contains("not valid JavaScript", error.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(
        "map('Orders', o => ({ _: [createField('total', o.Total, { storage: true, indexing: 'Exact', termVector: null })] }))",
        "from index 'I' where total > 15",
        "orders/2"
    )]
    [InlineData(
        "map('Orders', o => ({ _: o.Lines.map(l => createField(l.P, l.N)) }))",
        "from index 'I' where q = 3",
        "orders/1"
    )]
    [InlineData(
        "map('Orders', o => ({ _: { $name: 'x', $value: o.Company } }))",
        "from index 'I' where x = 'companies/9'",
        "orders/2"
    )]
    [InlineData(
        "map('Orders', o => ({ At: createSpatialField(o.Total, 5) }))",
        "from index 'I' where spatial.within(At, spatial.circle(10, 20, 5))",
        "orders/2"
    )]
    [InlineData(
        "map('Orders', o => ({ At: [createSpatialField('POINT(5 ' + o.Total + ')')] }))",
        "from index 'I' where spatial.within(At, spatial.circle(10, 20, 5))",
        "orders/2"
    )]
    [InlineData(
        "map('Orders', o => ({ Name: (noTracking.load(o.Company, 'Companies') || {}).Name }))",
        "from index 'I' where Name = 'Ada & Co'",
        "orders/1"
    )]
    [InlineData(
        "map('Orders', o => ({ Files: attachmentsFor(o).map(a => a.Name) }))",
        "from index 'I' where Files = 'a.txt'",
        "orders/1"
    )]
    [InlineData(
        "map('Orders', o => ({ Text: (loadAttachment(o, 'A.TXT') || { getContentAsString: () => null }).getContentAsString() }))",
        "from index 'I' where Text = 'q'",
        "orders/1"
    )]
    [InlineData(
        "map('Orders', o => loadAttachments(o).map(a => ({ Name: a.Name, Size: a.Size, Text: a.getContentAsString('latin1') })))",
        "from index 'I' where Name = 'a.txt' and Size = 1 and Text = 'q'",
        "orders/1"
    )]
    public async Task Maps_name_fields_places_and_attachments(string map, string query, string expected)
    {
        using (var content = new MemoryStream([(byte)'q']))
            await _database.Attachments.PutAsync("orders/1", "a.txt", content);
        await _database.Indexes.PutAsync(new IndexDefinition { Name = "I", Maps = [map] });
        Assert.Equal(expected, string.Join(' ', (await RunAsync(query)).Items.Select(i => i.Id)));
        Assert.Empty(_database.Indexes.GetErrors("I"));
    }

    private Task<PutResult> PutAsync(string id, string json) => _database.PutAsync(id, Encoding.UTF8.GetBytes(json));

    private async Task<QueryResult> RunAsync(string query) =>
        await _database.QueryAsync(
            new QueryRequest(query)
            {
                Parameters = new QueryParameters(new Dictionary<string, object?> { ["more"] = 5 }),
                Wait = new IndexWait(TimeSpan.FromMinutes(1)),
            }
        );
}
