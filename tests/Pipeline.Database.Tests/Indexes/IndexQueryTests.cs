using System.Buffers;
using System.Text;
using Pipeline.Database.Indexes;
using Pipeline.Database.Queries;
using Pipeline.Database.Queries.Catalog;
using Xunit;

namespace Pipeline.Database.Tests.Indexes;

/// <summary>Queries through the indexes that the database itself makes and keeps up.</summary>
public sealed class IndexQueryTests
{
    private static readonly IndexWait Wait = new(TimeSpan.FromSeconds(60));

    [Theory]
    [InlineData("from Orders where Company = 'ACME' order by Freight as double desc", "orders/3 orders/1 orders/2")]
    [InlineData("from Orders where exact(Company = 'acme')", "orders/2")]
    [InlineData("from Orders where search(Note, 'fragile quickly', and)", "orders/1")]
    [InlineData("from Orders where OrderedAt between '2020-01-02' and '2020-12-31T23:00:00Z'", "orders/2 orders/3")]
    [InlineData("from Orders where Lines[].Product = 'p/2' order by id()", "orders/1 orders/3")]
    [InlineData(
        "from Orders where spatial.within(spatial.point(Lat, Lon), spatial.circle(10, 48.85, 2.35))",
        "orders/1"
    )]
    [InlineData("from @all_docs where Name = 'Nancy'", "employees/1")]
    [InlineData("from index 'Lines' where Sum > 40 order by Sum as double", "orders/3 orders/1")]
    [InlineData("from index 'Lines' where search(Text, 'delivering')", "orders/1")]
    [InlineData(
        "from Orders group by Company order by count() as long desc select key() as Company, count() as Count, sum(Freight) as Sum",
        """{"Company":"ACME","Count":2,"Sum":22.5} {"Company":"acme","Count":1,"Sum":5}"""
    )]
    [InlineData(
        "from Orders as o group by o.Company order by max(o.Freight) as double desc select o.Company, min(o.Freight) as Min, max(o.Freight) as Max, avg(o.Freight) as Avg, max(o.OrderedAt) as Last",
        """{"Company":"ACME","Min":10,"Max":12.5,"Avg":11.25,"Last":"2020-12-31T22:00:00Z"} {"Company":"acme","Min":5,"Max":5,"Avg":5,"Last":"2020-01-02"}"""
    )]
    [InlineData(
        "from Orders group by ShipTo.City, Company where ShipTo.City = 'Oslo' select ShipTo.City as City, count() as Count",
        """{"City":"Oslo","Count":1}"""
    )]
    [InlineData(
        "from Orders group by Lines[].Product where Lines[].Product = 'p/2' order by Count select Lines[].Product as P, count() as Count",
        """{"P":"p/2","Count":2}"""
    )]
    [InlineData(
        "from Orders group by Lines[].Product where average(Lines[].Price) < 5 and min(Lines[].Quantity) >= 1 order by avg(Lines[].Price) select key() as P, max(Lines[].Quantity), average(Lines[].Price) as A, min(Nothing) as N",
        """{"P":"p/3","max(Lines[].Quantity)":1,"A":2,"N":null} {"P":"p/2","max(Lines[].Quantity)":9,"A":3.5,"N":null}"""
    )]
    [InlineData("from index 'Totals' where Count > 1 select Product, Count", """{"Product":"p/2","Count":2}""")]
    [InlineData(
        "from index 'Lines' select facet(id('facets/lines'))",
        """{"Name":"Product","Values":[{"Range":"p/1","Count":1,"Name":"Sum","Sum":47.5},{"Range":"p/2","Count":2,"Name":"Sum","Sum":47},{"Range":"p/3","Count":1,"Name":"Sum","Sum":2}],"RemainingTerms":[],"RemainingTermsCount":0,"RemainingHits":0} {"Name":"S","Values":[{"Range":"Sum < 10","Count":2},{"Range":"Sum >= 10","Count":2}],"RemainingTerms":[],"RemainingTermsCount":0,"RemainingHits":0}"""
    )]
    public async Task A_query_finds(string text, string expected)
    {
        await using var db = IndexedDatabase.Open();
        await db.Indexes.PutAsync(
            new IndexDefinition
            {
                Name = "Lines",
                Maps =
                [
                    "from o in docs.Orders from l in o.Lines select new { l.Product, Sum = l.Quantity * l.Price, Text = o.Note }",
                ],
                Fields = new Dictionary<string, IndexFieldDefinition> { ["Text"] = new() { Analyzer = "english" } },
            }
        );
        await db.Indexes.PutAsync(
            new IndexDefinition
            {
                Name = "Totals",
                Maps = ["from o in docs.Orders from l in o.Lines select new { l.Product, Count = 1 }"],
                Reduce =
                    "from r in results group r by r.Product into g select new { Product = g.Key, Count = g.Sum(x => x.Count) }",
            }
        );
        await db.PutAsync(
            "orders/1",
            "Orders",
            """{"Company":"ACME","Freight":10,"Note":"Fragile, deliver quickly","OrderedAt":"2020-01-01","Lat":48.86,"Lon":2.34,"Lines":[{"Product":"p/1","Quantity":5,"Price":9.5},{"Product":"p/2","Quantity":1,"Price":2}]}"""
        );
        await db.PutAsync(
            "orders/2",
            "Orders",
            """{"Company":"acme","Freight":5,"Note":"Fragile","ShipTo":{"City":"Oslo"},"OrderedAt":"2020-01-02","Lat":52.5,"Lon":13.4,"Lines":[{"Product":"p/3","Quantity":1,"Price":2}]}"""
        );
        await db.PutAsync(
            "orders/3",
            "Orders",
            """{"Company":"ACME","Freight":12.5,"Note":"","OrderedAt":"2020-12-31T22:00:00Z","Lines":[{"Product":"p/2","Quantity":9,"Price":5}]}"""
        );
        await db.PutAsync(
            "facets/lines",
            "FacetSetups",
            """{"Facets":[{"FieldName":"Product","Aggregations":{"Sum":[{"Name":"Sum","DisplayName":null}]},"Options":null}],"RangeFacets":[{"DisplayFieldName":"S","Ranges":["Sum < 10","Sum >= 10"]}]}"""
        );
        await db.PutAsync("employees/1", "Employees", """{"Name":"Nancy"}""");
        var result = await new QueryRunner(db, db.Indexes).RunAsync(new QueryRequest(text) { Wait = Wait });
        Assert.False(result.Lag.IsStale);
        Assert.Equal(expected, string.Join(' ', result.Items.Select(Text)));
    }

    private static string Text(QueryItem item)
    {
        if (item.Document is not null)
            return item.Id!;
        var json = new ArrayBufferWriter<byte>();
        item.WriteJson(json);
        return Encoding.UTF8.GetString(json.WrittenSpan);
    }
}
