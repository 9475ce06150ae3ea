using System.Text;
using Pipeline.Database.Indexes;
using Pipeline.Database.Queries;
using Pipeline.Database.Queries.Catalog;
using Pipeline.Database.Tests.Scripts;
using Pipeline.Documents;
using Pipeline.Documents.Transfer;
using Pipeline.JavaScript;
using Pipeline.Scripting;
using Xunit;

namespace Pipeline.Database.Tests;

/// <summary>
/// A document without a collection is in the collection <c>@empty</c>, wherever a collection's name stands.
/// </summary>
public sealed class NoCollectionTests : IAsyncLifetime
{
    private readonly DocumentDatabase _db = TestDatabase.Open();

    public async Task InitializeAsync()
    {
        await _db.PutAsync("loose/1", """{"N":1}"""u8.ToArray());
        await _db.PutAsync("kept/1", """{"N":2,"@metadata":{"@collection":"Kept"}}"""u8.ToArray());
    }

    public async Task DisposeAsync() => await _db.DisposeAsync();

    [Theory]
    [InlineData(
        "from d in docs select new { C = MetadataFor(d)[\"@collection\"] }",
        "from index 'I' where C = '@empty'"
    )]
    [InlineData("from d in docs[\"@empty\"] select new { d.N }", "from index 'I' where N = 1")]
    [InlineData(
        "from d in docs.Kept select new { N = LoadDocument(\"loose/1\", \"@empty\").N }",
        "from index 'I' where N = 1"
    )]
    public async Task Maps_in_CSharp_see_it(string map, string query)
    {
        await _db.Indexes.PutAsync(new IndexDefinition { Name = "I", Maps = [map] });
        Assert.Equal(1, (await QueryAsync(query)).Total);
    }

    [Theory]
    [InlineData(
        "map('@empty', d => ({ N: d.N, C: getMetadata(d)['@collection'] }))",
        "from index 'I' where C = '@empty'"
    )]
    [InlineData("map('Kept', d => ({ N: load('loose/1', '@empty').N }))", "from index 'I' where N = 1")]
    public async Task Maps_in_JavaScript_see_it(string map, string query)
    {
        await _db.Indexes.PutAsync(new IndexDefinition { Name = "I", Maps = [map] });
        Assert.Equal(1, (await QueryAsync(query)).Total);
    }

    [Theory]
    [InlineData("from @empty", 1)]
    [InlineData("from '@empty' where N = 1", 1)]
    [InlineData("from @all_docs as d where N = 1 select { C: getMetadata(d)['@collection'] }", 1)]
    public async Task Queries_name_it(string query, int count)
    {
        var result = await QueryAsync(query);
        Assert.Equal(count, result.Total);
        Assert.Contains("@empty", result.Items[0].ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public void Transforms_without_a_collection_see_it()
    {
        Assert.Equal(
            "t {\"c\":\"@empty\",\"m\":\"@empty\"}",
            ScriptHost.Run("send(\"t\", new { c = collection, m = getMetadata(doc)[\"@collection\"] });", "{}")
        );
        var host = new ScriptHost();
        host.Run(
            JavaScriptCompiler
                .CompileTransform("loadToT({ c: collection, m: getMetadata(this)['@collection'] });")
                .Script!,
            ScriptDocument.FromJson("a/1", "{}")
        );
        Assert.Equal("T {\"c\":\"@empty\",\"m\":\"@empty\"}", Assert.Single(host.Messages));
    }

    [Fact]
    public async Task Exports_say_it_and_imports_take_it()
    {
        using var target = new MemoryStream();
        using (var snapshot = _db.OpenSnapshot())
            await JsonLinesExport.ExportAsync(snapshot, target);
        var lines = Encoding.UTF8.GetString(target.ToArray()).Split('\n', StringSplitOptions.RemoveEmptyEntries);
        var loose = lines.Single(l => l.Contains("loose/1", StringComparison.Ordinal));
        Assert.Contains("\"@collection\":\"@empty\"", loose, StringComparison.Ordinal);
        await using var other = TestDatabase.Open();
        await other.PutAsync(null, Encoding.UTF8.GetBytes(loose));
        Assert.Equal("@empty", other.OpenAndClose("loose/1"));
    }

    [Theory]
    [InlineData("""{"@metadata":{"@collection":""}}""")]
    [InlineData("""{"@metadata":{"@collection":null}}""")]
    [InlineData("""{"@metadata":{"@collection":"@EMPTY"}}""")]
    [InlineData("""{"@metadata":{"@collection":"@empty"}}""")]
    [InlineData("{}")]
    public async Task Every_way_to_give_none_is_the_same(string json)
    {
        await using DocumentDatabase put = TestDatabase.Open(),
            bulk = TestDatabase.Open();
        Assert.Equal("@empty", (await put.PutAsync("a", Encoding.UTF8.GetBytes(json))).Collection);
        Assert.Equal("@empty", put.OpenAndClose("a"));
        await using (var insert = bulk.BeginBulkInsert())
        {
            await insert.StoreAsync("a", Encoding.UTF8.GetBytes(json));
            await insert.CompleteAsync();
        }

        Assert.Equal("@empty", bulk.OpenAndClose("a"));
    }

    private ValueTask<QueryResult> QueryAsync(string query) =>
        _db.QueryAsync(new QueryRequest(query) { Wait = new IndexWait(TimeSpan.FromSeconds(30)) });
}

file static class Reading
{
    internal static string OpenAndClose(this DocumentDatabase database, string id)
    {
        using var snapshot = database.OpenSnapshot();
        return snapshot.Find(id)!.Collection;
    }
}
