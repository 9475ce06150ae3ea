using Pipeline.Database;
using Pipeline.Database.Indexes;
using Pipeline.Indexing;
using Pipeline.TestKit.Time;
using Xunit;

namespace Pipeline.Tests.Database.Indexes;

/// <summary>Automatic indexes: made and widened for queries, side by side, and deleted when nobody uses them.</summary>
public sealed class AutoIndexTests
{
    private static AutoIndexDefinition Wanted(string collection, params string[] paths) => new(collection, [.. paths.Select(p => new AutoIndexField(p))]);

    [Fact]
    public async Task One_is_made_and_widened()
    {
        await using DocumentDatabase db = IndexedDatabase.Open();
        await db.PutAsync("orders/1", "Orders", """{"Company":"ACME","ShipTo":{"City":"Paris"},"Lines":[{"Product":"a"},{"Product":"b"}],"Tags":["x","y"],"N":2.5}""");
        string first = await db.Indexes.UseAutomaticAsync(Wanted("Orders", "Company"));
        Assert.Equal("Auto/Orders/ByCompany", first);
        Assert.Equal(first, await db.Indexes.UseAutomaticAsync(Wanted("orders", "Company")));
        await db.SettleAsync(first);
        var wide = new AutoIndexDefinition("Orders", [new("ShipTo.City", AutoFieldUsage.Search), new("Lines[].Product", AutoFieldUsage.Exact), new("Tags"), new("N")]);
        string second = await db.Indexes.UseAutomaticAsync(wide);
        Assert.Equal("Auto/Orders/ByCompanyAndLines_ProductAndExact(Lines_Product)AndNAndShipTo_CityAndSearch(ShipTo_City)AndTags", second);
        await db.SettleAsync(second);
        while (db.Indexes.Get(first) is not null) await Task.Yield();
        Assert.Equal(second, await db.Indexes.UseAutomaticAsync(Wanted("Orders", "Company", "N")));
        using IndexLease lease = db.Indexes.Open(second);
        using IndexReader reader = lease.Store.OpenReader();
        Assert.Equal(1, reader.LiveCount);
        Assert.Equal(["acme"], Terms(reader, "Company", "acme"));
        Assert.Equal(["a", "b"], Terms(reader, "exact(Lines[].Product)", "a", "b"));
        Assert.Equal(["paris"], Terms(reader, "search(ShipTo.City)", "paris"));
        Assert.Equal(["x", "y"], Terms(reader, "Tags", "x", "y"));
        Assert.Equal(FieldIndexing.Search, lease.IndexingOf("search(ShipTo.City)"));
        Assert.Equal("standard", lease.AnalyzerOf("search(ShipTo.City)"));
    }

    [Fact]
    public async Task Unused_ones_are_deleted_after_their_time()
    {
        var time = new ManualTimeProvider();
        await using DocumentDatabase db = IndexedDatabase.Open(time: time, indexing: new IndexingOptions { AutoIndexLifetime = TimeSpan.FromHours(5) });
        string a = await db.Indexes.UseAutomaticAsync(Wanted("A", "X"));
        string b = await db.Indexes.UseAutomaticAsync(Wanted("B", "X"));
        await db.Indexes.PutAsync(IndexedDatabase.Definition("Mine", "from d in docs.A select new { d.X }"));
        time.Advance(TimeSpan.FromHours(4));
        db.Indexes.Open(b).Dispose();
        time.Advance(TimeSpan.FromHours(2));
        while (db.Indexes.Get(a) is not null) await Task.Yield();
        Assert.Equal([b, "Mine"], db.Indexes.List().Select(i => i.Name));
    }

    [Fact]
    public async Task All_documents_can_be_asked_for()
    {
        await using DocumentDatabase db = IndexedDatabase.Open();
        await db.PutAsync("a/1", "A", "{\"X\":1}");
        await db.PutAsync("b/1", "B", "{\"X\":1}");
        string name = await db.Indexes.UseAutomaticAsync(Wanted(AutoIndexDefinition.AllDocuments, "X"));
        Assert.Equal("Auto/AllDocs/ByX", name);
        await db.SettleAsync(name);
        Assert.Equal(2, db.Indexes.Get(name)!.Entries);
    }

    /// <summary>Those of the terms that the field has, as the test spells them.</summary>
    private static List<string> Terms(IndexReader reader, string field, params string[] terms)
    {
        Assert.True(reader.TryGetField(field, out IndexField? found), field);
        return terms.Where(t => reader.TryGetTerm(found!, System.Text.Encoding.UTF8.GetBytes(t), out _)).ToList();
    }
}
