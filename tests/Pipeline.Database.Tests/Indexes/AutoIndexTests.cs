using System.Text;
using Pipeline.Database.Indexes;
using Pipeline.Database.Queries.Catalog;
using Pipeline.Database.Queries.Demands;
using Pipeline.Documents;
using Pipeline.Indexing;
using Pipeline.Json;
using Pipeline.TestKit.Time;
using Xunit;

namespace Pipeline.Database.Tests.Indexes;

/// <summary>Automatic indexes: created and widened for queries, side by side, and deleted when unused.</summary>
public sealed class AutoIndexTests
{
    private static readonly IndexWait Wait = new(TimeSpan.FromSeconds(60));

    [Fact]
    public async Task One_is_made_and_widened()
    {
        await using var db = IndexedDatabase.Open();
        await db.PutAsync(
            "Orders/1",
            "Orders",
            """{"Company":"ACME","ShipTo":{"City":"New Paris"},"Lines":[{"Product":"a"},{"Product":"B"}],"Tags":["x","y"],"N":2.5,"At":"2020-02-03","Lat":1.5,"Lon":2}"""
        );
        using (
            var first = await db.Indexes.OpenAsync(
                Demand("Orders", new FieldDemand("Company", FieldUsage.Compare)),
                null,
                default
            )
        )
        {
            using var snapshot = db.OpenSnapshot();
            Assert.Equal(
                ("Auto/Orders/ByCompany", 1, 0L),
                (first.Name, first.Reader.LiveCount, first.LagAt(snapshot).Changes)
            );
            Assert.Equal(["orders/1"], Terms(first, "id()", "orders/1", "Orders/1"));
        }

        var wide = Demand(
            "orders",
            new FieldDemand("ShipTo.City", FieldUsage.Search),
            new FieldDemand("Lines[].Product", FieldUsage.Exact | FieldUsage.OrderText),
            new FieldDemand("Tags", FieldUsage.Facet),
            new FieldDemand("At", FieldUsage.Compare),
            new FieldDemand("spatial.point(Lat, Lon)", FieldUsage.Spatial)
            {
                Spatial = new SpatialSource("Lat", "Lon", null),
            }
        );
        using (var second = await db.Indexes.OpenAsync(wide, Wait, default))
        {
            Assert.Equal(
                "Auto/Orders/ByAtAndCompanyAndLines_ProductAndExact(Lines_Product)AndSearch(ShipTo_City)AndTagsAndspatial_point(Lat, Lon)",
                second.Name
            );
            Assert.Equal(["acme"], Terms(second, "Company", "acme", "ACME"));
            Assert.Equal(["a", "B"], Terms(second, "exact(Lines[].Product)", "a", "b", "B"));
            Assert.Equal(["a", "b"], Terms(second, "Lines[].Product", "a", "b", "B"));
            Assert.Equal(["paris", "new"], Terms(second, "search(ShipTo.City)", "paris", "new", "new paris"));
            Assert.Equal(["x", "y"], Terms(second, "Tags", "x", "y", "z"));
            Assert.Equal(
                ["2020-02-03t00:00:00.0000000"],
                Terms(second, "At", "2020-02-03", "2020-02-03t00:00:00.0000000")
            );
            Assert.True(second.TryGetField("spatial.point(Lat, Lon)", out var place));
            Assert.NotNull(second.Reader.OpenPoints(Field(second, place!.Name)));
            Assert.True(second.TryGetField("search(ShipTo.City)", out var city) && city.Analyzer!.Name == "standard");
            Assert.False(second.TryGetField("ShipTo.City", out _));
            Assert.False(second.MayRepeatDocuments);
        }

        while (db.Indexes.Get("Auto/Orders/ByCompany") is not null)
            await Task.Yield();
        using var again = await db.Indexes.OpenAsync(
            Demand("Orders", new FieldDemand("Company", FieldUsage.Compare)),
            null,
            default
        );
        Assert.EndsWith("AndTagsAndspatial_point(Lat, Lon)", again.Name, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_query_whose_index_is_deleted_while_it_waits_chooses_another()
    {
        await using var db = IndexedDatabase.Open();
        await db.PutAsync("Orders/1", "Orders", """{"Company":"ACME"}""");
        var demand = Demand("Orders", new FieldDemand("Company", FieldUsage.Compare));
        (await db.Indexes.OpenAsync(demand, Wait, default)).Dispose();
        await db.Indexes.SetStateAsync("Auto/Orders/ByCompany", IndexState.Paused);
        await db.PutAsync("Orders/2", "Orders", """{"Company":"Umbrella"}""");
        var waits = db.Indexes.OpenAsync(demand, Wait, default).AsTask();
        Assert.False(waits.IsCompleted);

        await db.Indexes.DeleteAsync("Auto/Orders/ByCompany");
        using var open = await waits;
        Assert.Equal(("Auto/Orders/ByCompany", 2), (open.Name, open.Reader.LiveCount));
    }

    [Fact]
    public async Task A_query_that_joins_a_new_one_waits_for_its_first_batch()
    {
        await using var db = IndexedDatabase.Open();
        var demand = Demand("Orders", new FieldDemand("Company", FieldUsage.Compare));
        await db.PutAsync("Orders/1", "Orders", """{"Company":"ACME"}""");
        await db.Indexes.UseAutomaticAsync(AutoIndexDefinition.Of(demand));
        using var joined = await db.Indexes.OpenAsync(demand, IndexWait.None, default);
        Assert.Equal(1, joined.Reader.LiveCount);
    }

    [Fact]
    public async Task Groups_are_counted_and_summed_up()
    {
        await using var db = IndexedDatabase.Open();
        await db.PutAsync(
            "orders/1",
            "Orders",
            """{"Company":"a","Freight":1.10,"Lines":[{"Product":"p","Q":2},{"Product":"q","Q":5}]}"""
        );
        await db.PutAsync("orders/2", "Orders", """{"Company":"a","Freight":2,"Lines":[{"Product":"p","Q":3}]}""");
        await db.PutAsync("orders/3", "Orders", """{"Company":"b","Freight":"none","Lines":[]}""");
        var byCompany = Demand("Orders", new FieldDemand("count()", FieldUsage.OrderNumber)) with
        {
            GroupBy = [new GroupKeyDemand("Company", false)],
            Aggregates = [new AggregateDemand("count()", null), new AggregateDemand("sum(Freight)", "Freight")],
        };
        Assert.Equal(
            ["""{"Company":"a","count()":2,"sum(Freight)":3.1}""", """{"Company":"b","count()":1,"sum(Freight)":0}"""],
            await GroupsAsync(db, byCompany)
        );
        var byProduct = Demand("Orders") with
        {
            GroupBy = [new GroupKeyDemand("Lines[].Product", false)],
            Aggregates = [new AggregateDemand("sum(Lines[].Q)", "Lines[].Q")],
        };
        Assert.Equal(
            ["""{"Lines[].Product":"p","sum(Lines[].Q)":5}""", """{"Lines[].Product":"q","sum(Lines[].Q)":5}"""],
            await GroupsAsync(db, byProduct)
        );
        var byArray = Demand("Orders") with
        {
            GroupBy = [new GroupKeyDemand("Lines[].Product", true)],
            Aggregates = [new AggregateDemand("count()", null)],
        };
        Assert.Equal(
            [
                """{"Lines[].Product":["p","q"],"count()":1}""",
                """{"Lines[].Product":["p"],"count()":1}""",
                """{"Lines[].Product":[],"count()":1}""",
            ],
            await GroupsAsync(db, byArray)
        );
        await db.DeleteAsync("orders/2");
        Assert.Equal(
            ["""{"Company":"a","count()":1,"sum(Freight)":1.1}""", """{"Company":"b","count()":1,"sum(Freight)":0}"""],
            await GroupsAsync(db, byCompany)
        );
        using var open = await db.Indexes.OpenAsync(byCompany, Wait, default);
        Assert.Equal(["a", "b"], Terms(open, "Company", "a", "b"));
        Assert.NotNull(open.Reader.OpenNumbers(Field(open, "count()")));
    }

    [Fact]
    public async Task Unused_ones_are_deleted_after_their_time()
    {
        var time = new ManualTimeProvider();
        await using var db = IndexedDatabase.Open(
            time: time,
            indexing: new IndexingOptions { AutoIndexLifetime = TimeSpan.FromHours(5) }
        );
        (var a, _) = await db.Indexes.UseAutomaticAsync(
            AutoIndexDefinition.Of(Demand("A", new FieldDemand("X", FieldUsage.Compare)))
        );
        (var b, _) = await db.Indexes.UseAutomaticAsync(
            AutoIndexDefinition.Of(Demand("B", new FieldDemand("X", FieldUsage.Compare)))
        );
        await db.Indexes.PutAsync(IndexedDatabase.Definition("Mine", "from d in docs.A select new { d.X }"));
        time.Advance(TimeSpan.FromHours(4));
        db.Indexes.Open(b).Dispose();
        time.Advance(TimeSpan.FromHours(2));
        while (db.Indexes.Get(a) is not null)
            await Task.Yield();
        Assert.Equal([b, "Mine"], db.Indexes.List().Select(i => i.Name));
    }

    [Fact]
    public async Task All_documents_can_be_asked_for()
    {
        await using var db = IndexedDatabase.Open();
        await db.PutAsync("a/1", "A", "{\"X\":1}");
        await db.PutAsync("b/1", "B", "{\"X\":1}");
        using var open = await db.Indexes.OpenAsync(
            Demand(null, new FieldDemand("X", FieldUsage.Compare)),
            Wait,
            default
        );
        Assert.Equal(("Auto/AllDocs/ByX", 2), (open.Name, open.Reader.LiveCount));

        // A null value gets an index entry; a missing field gets none.
        await db.PutAsync("a/2", "A", "{\"X\":null}");
        await db.PutAsync("a/3", "A", "{\"Y\":1}");
        using var later = await db.Indexes.OpenAsync(
            Demand(null, new FieldDemand("X", FieldUsage.Compare)),
            Wait,
            default
        );
        Assert.Equal((4, 3), (later.Reader.LiveCount, later.Reader.GetStatistics(Field(later, "X")).Entries));
    }

    [Fact]
    public async Task A_query_is_told_what_is_wrong_with_its_index()
    {
        await using var db = IndexedDatabase.Open(indexing: new IndexingOptions { MinErrorSample = 1 });
        var missing = await Assert.ThrowsAsync<IndexNotFoundException>(async () =>
            await db.Indexes.OpenAsync(new IndexDemand { IndexName = "Mine" }, null, default)
        );
        Assert.Contains("'Mine'", missing.Message, StringComparison.Ordinal);
        await db.Indexes.PutAsync(IndexedDatabase.Definition("Mine", "from d in docs.A select new { X = d.X * 2 }"));
        using (var open = await db.Indexes.OpenAsync(new IndexDemand { IndexName = "mine" }, Wait, default))
        {
            Assert.True(open.TryGetField("X", out var field) && field.IsStored);
            await db.PutAsync("a/1", "A", "{\"X\":\"text\"}");
            using var snapshot = db.OpenSnapshot();
            Assert.Equal(1, open.LagAt(snapshot).Changes);
        }

        await Assert.ThrowsAsync<IndexFailedException>(async () =>
            await db.Indexes.OpenAsync(new IndexDemand { IndexName = "mine" }, Wait, default)
        );
    }

    private static IndexDemand Demand(string? collection, params FieldDemand[] fields) =>
        new() { Collection = collection, Fields = fields };

    private static async Task<List<string>> GroupsAsync(DocumentDatabase db, IndexDemand demand)
    {
        using var open = await db.Indexes.OpenAsync(demand, Wait, default);
        Assert.True(open.IsGrouped);
        var rows = new List<string>();
        var all = open.Reader.OpenAll();
        for (var entry = all.Next(); entry != EntryIterator.End; entry = all.Next())
        {
            Assert.True(open.Reader.TryGetEntry(entry, out _, out var stored));
            rows.Add(new BinaryJson(stored.ToArray()).ToString());
        }

        rows.Sort(StringComparer.Ordinal);
        return rows;
    }

    /// <summary>Those of the terms that the field has.</summary>
    private static List<string> Terms(IOpenIndex open, string field, params string[] terms) =>
        [.. terms.Where(t => open.Reader.TryGetTerm(Field(open, field), Encoding.UTF8.GetBytes(t), out _))];

    private static IndexField Field(IOpenIndex open, string name)
    {
        Assert.True(open.Reader.TryGetField(name, out var field), name);
        return field!;
    }
}
