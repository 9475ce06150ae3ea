using System.Text;
using System.Text.Json;
using Pipeline.Database.Indexes;
using Pipeline.Database.Queries;
using Pipeline.Database.Queries.Catalog;
using Xunit;

namespace Pipeline.Database.Tests.JavaScript;

/// <summary>Index definitions in JavaScript.</summary>
public sealed class JavaScriptIndexTests : IAsyncLifetime
{
    private readonly DocumentDatabase _database = DocumentDatabase.Open(new DatabaseOptions { Name = "js" });

    public async Task InitializeAsync()
    {
        await PutAsync("companies/1", """{"Name":"Ada & Co","@metadata":{"@collection":"Companies"}}""");
        await PutAsync("companies/2", """{"Name":"Bob Ltd","@metadata":{"@collection":"Companies"}}""");
        for (var n = 1; n <= 6; n++)
        {
            await PutAsync(
                $"orders/{n}",
                $$"""{"Company":"companies/{{n % 2 + 1}}","Total":{{n * 10}},"Lines":[{"P":"p{{n}}"},{"P":"q"}],"@metadata":{"@collection":"Orders"} }"""
            );
        }
    }

    public async Task DisposeAsync() => await _database.DisposeAsync();

    [Fact]
    public async Task A_map_gives_fields_and_lists_give_several_entries()
    {
        await MakeAsync(
            "function big(o) { return o.Total >= 40; }\nmap('Orders', o => ({ Total: o.Total, Big: big(o), Products: o.Lines.map(l => l.P) }))",
            "map('Companies', c => [{ Name: c.Name }, { Name: 'x' }])"
        );
        Assert.Equal(
            ["orders/4", "orders/5", "orders/6"],
            await IdsAsync("from index 'I' where Big = true order by id()")
        );
        Assert.Equal(["orders/2"], await IdsAsync("from index 'I' where Products = 'p2'"));
        Assert.Equal(["orders/3"], await IdsAsync("from index 'I' where Total > 20 and Total < 40"));
        Assert.Equal(["companies/1", "companies/2"], await IdsAsync("from index 'I' where Name = 'x' order by id()"));
    }

    [Fact]
    public async Task A_loaded_document_that_changes_changes_the_entries()
    {
        await MakeAsync(
            "map('Orders', o => { const c = load(o.Company, 'Companies'); return { Company: c ? c.Name : null }; })"
        );
        Assert.Equal(3, (await IdsAsync("from index 'I' where Company = 'Bob Ltd'")).Length);
        await PutAsync("companies/2", """{"Name":"Bert Ltd","@metadata":{"@collection":"Companies"}}""");
        Assert.Empty(await IdsAsync("from index 'I' where Company = 'Bob Ltd'"));
        Assert.Equal(3, (await IdsAsync("from index 'I' where Company = 'Bert Ltd'")).Length);
    }

    [Fact]
    public async Task Groups_are_reduced()
    {
        await MakeAsync(
            "groupBy(r => r.Company).aggregate(g => ({ Company: g.key, Total: g.values.reduce((sum, v) => sum + v.Total, 0), Count: g.values.reduce((n, v) => n + v.Count, 0) }))",
            ["map('Orders', o => ({ Company: o.Company, Total: o.Total, Count: 1 }))"]
        );
        Assert.Equal(["companies/1 120 3", "companies/2 90 3"], await ResultsAsync("from index 'I' order by Company"));
        await _database.DeleteAsync("orders/2");
        Assert.Equal(["companies/1 100 2"], await ResultsAsync("from index 'I' where Total = 100"));
    }

    [Theory]
    [InlineData("map('Orders', o => ({ a: ; }))", "map:1:26: JS: Unexpected token ';'")]
    [InlineData("map('Orders')", "map:1:1: JS: map takes a collection and a function")]
    [InlineData("const a = 1;", "the definition calls map(collection, function) nowhere")]
    public async Task Errors_have_their_place(string map, string expected)
    {
        var e = await Assert.ThrowsAnyAsync<InvalidIndexException>(() =>
            _database.Indexes.PutAsync(new IndexDefinition { Name = "I", Maps = [map] })
        );
        Assert.Contains(expected, e.Message, StringComparison.Ordinal);
    }

    private Task MakeAsync(params string[] maps) => MakeAsync(null, maps);

    private async Task MakeAsync(string? reduce, string[] maps)
    {
        await _database.Indexes.PutAsync(
            new IndexDefinition
            {
                Name = "I",
                Maps = maps,
                Reduce = reduce,
            }
        );
    }

    private async Task PutAsync(string id, string json) => await _database.PutAsync(id, Encoding.UTF8.GetBytes(json));

    private async Task<QueryResult> QueryAsync(string query) =>
        await _database.QueryAsync(new QueryRequest(query) { Wait = new IndexWait(TimeSpan.FromSeconds(30)) });

    private async Task<string[]> IdsAsync(string query) => [.. (await QueryAsync(query)).Items.Select(i => i.Id!)];

    private async Task<string[]> ResultsAsync(string query) =>
        [
            .. (await QueryAsync(query)).Items.Select(i =>
            {
                var json = JsonDocument.Parse(i.ToString()).RootElement;
                return $"{json.GetProperty("Company")} {json.GetProperty("Total")} {json.GetProperty("Count")}";
            }),
        ];
}
