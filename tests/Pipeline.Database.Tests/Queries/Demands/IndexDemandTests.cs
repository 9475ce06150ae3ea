using Pipeline.Database.Queries.Demands;
using Pipeline.Database.Queries.Language;
using Pipeline.Scripting.Indexes;
using Pipeline.Scripting.Runtime;
using Xunit;

namespace Pipeline.Database.Tests.Queries.Demands;

/// <summary>The index that a query needs is derived from its text.</summary>
public sealed class IndexDemandTests
{
    [Theory]
    [InlineData("from Orders", "Orders; none")]
    [InlineData("from @all_docs", "all; none")]
    [InlineData("from Orders where id() = 'a' or id() in ('b') order by id() desc", "Orders; none")]
    [InlineData("from Orders as o where id(o) = 'a' and startsWith(id(o), 'orders/')", "Orders; none")]
    [InlineData("from Orders where true", "Orders; none")]
    [InlineData("from Orders order by random()", "Orders;")]
    [InlineData("from index 'I'", "index I;")]
    [InlineData("from Orders where Total > 1 and not Company = 'x'", "Orders; Total: Compare; Company: Compare")]
    [InlineData(
        "from Orders as o where o.ShipTo.City in ('a') or o.Lines[].Product = 'p'",
        "Orders; ShipTo.City: Compare; Lines[].Product: Compare"
    )]
    [InlineData(
        "from Orders where exact(Name = 'X' and Tag in ('a')) and Name = 'x'",
        "Orders; Name: Compare, Exact; Tag: Exact"
    )]
    [InlineData(
        "from Orders where boost(search(Text, 'a b'), 2) or lucene('other text', 'x') or proximity(search(Text, 'a b'), 2)",
        "Orders; Text: Search; other text: Search"
    )]
    [InlineData(
        "from Orders where startsWith(A, 'x') and endsWith(B, 'x') and regex(C, 'x') and exists(D) and E between 1 and 2",
        "Orders; A: Compare; B: Compare; C: Compare; D: Compare; E: Compare"
    )]
    [InlineData(
        "from Orders where intersect(Size = 1, Color = 2) and fuzzy(Name = 'x', 0.5)",
        "Orders; Size: Compare; Color: Compare; Name: Compare"
    )]
    [InlineData(
        "from Orders order by A, B as long, C as double desc, D as alphanumeric, A as string, score()",
        "Orders; A: OrderText; B: OrderNumber; C: OrderNumber; D: OrderAlphaNumeric"
    )]
    [InlineData(
        "from Cities where spatial.within(spatial.point(Lat, Lon), spatial.circle(1, 2, 3)) order by spatial.distance(spatial.point(Lat, Lon), spatial.point(1, 2))",
        "Cities; spatial.point(Lat, Lon): Spatial of Lat Lon"
    )]
    [InlineData(
        "from Cities as c where spatial.intersects(spatial.wkt(c.Shape), spatial.circle(1, 2, 3)) or spatial.disjoint(c.Place, spatial.circle(1, 2, 3))",
        "Cities; spatial.wkt(Shape): Spatial of Shape; Place: Spatial"
    )]
    [InlineData(
        "from Products select facet(Price < 10, Price between 10 and 20), facet(Category, sum(Units))",
        "Products; Price: Facet; Category: Facet; Units: Facet"
    )]
    [InlineData(
        "from Products where search(Name, 'x') select suggest(Name, 'y') include highlight(Name, 10, 1)",
        "Products; Name: Search, Suggest, Highlight"
    )]
    [InlineData(
        "from Orders as o group by o.Company, ShipTo.City where count() > 5 order by sum(o.Freight) as double select count(), key(), { F: sum(Freight) }",
        "Orders; count(): Compare; sum(Freight): OrderNumber; by Company; by ShipTo.City; count() of ; sum(Freight) of Freight"
    )]
    [InlineData("from Orders group by array(Lines[].Product) select key()", "Orders; by array Lines[].Product")]
    [InlineData(
        "from Orders group by Company where key() = 'x' select sum(Freight) / count()",
        "Orders; Company: Compare; by Company; sum(Freight) of Freight; count() of "
    )]
    public void The_demand_of_a_query(string query, string expected) =>
        Assert.Equal(expected, Show(IndexDemandReader.Read(QueryParser.Parse(query))));

    [Theory]
    [InlineData("from Orders where count() > 5", "1:19: count() is computed for groups; add 'group by'.")]
    [InlineData("from Orders group by Company select count(Freight)", "1:37: count() takes no field; write count().")]
    [InlineData("from Orders select avg(Freight)", "1:20: avg() is computed for groups; add 'group by'.")]
    [InlineData("from Orders as o where o = 1", "1:24: 'o' is the whole document; name a field of it: o.Name.")]
    [InlineData("from Orders where 5 = Total", "1:19: a field is expected, not 5; the field stands first.")]
    [InlineData("from Orders where Total + 1 = 2", "1:19: a field is expected, not Total + 1.")]
    [InlineData(
        "from Orders as o where id(x) = 'a'",
        "1:24: id(x) is not the id of the searched document; write id()."
    )]
    [InlineData(
        "from Orders where spatial.within($p, spatial.circle(1, 2, 3))",
        "1:34: a spatial field or spatial.point(latitude, longitude) is expected, not $p; the field stands first."
    )]
    [InlineData(
        "from Orders as o where c.Name = 'x' load o.Company as c",
        "1:24: 'c' is loaded after the search; put conditions on loaded documents in 'filter'."
    )]
    public void What_no_index_can_answer_is_refused_with_its_place(string query, string message)
    {
        var error = Assert.Throws<InvalidQueryException>(() => IndexDemandReader.Read(QueryParser.Parse(query)));
        Assert.Equal("Invalid query at " + message, error.Message);
    }

    [Fact]
    public void Names_of_fields_in_indexes()
    {
        Assert.Equal(
            ("exact(a.b)", "search(Lines[].c)", "Lines_c_d"),
            (IndexFieldNames.Exact("a.b"), IndexFieldNames.Search("Lines[].c"), IndexFieldNames.Static("Lines[].c.d"))
        );
    }

    private static string Show(IndexDemand demand) =>
        string.Join(
            "; ",
            [
                demand.IndexName is { } index ? "index " + index : demand.Collection ?? "all",
                .. demand.NeedsNoIndex ? ["none"] : Array.Empty<string>(),
                .. demand.Fields.Select(f =>
                    $"{f.Path}: {f.Usage}"
                    + (
                        f.Spatial is { } s
                            ? " of "
                                + string.Join(
                                    ' ',
                                    new[] { s.LatitudePath, s.LongitudePath, s.WktPath }.Where(p => p is not null)
                                )
                            : ""
                    )
                ),
                .. demand.GroupBy.Select(k => "by " + (k.IsWholeArray ? "array " : "") + k.Path),
                .. demand.Aggregates.Select(a => $"{a.Name} of {a.Path}"),
            ]
        ) + (demand is { NeedsNoIndex: false, Fields: [], GroupBy: [] } ? ";" : "");
}
