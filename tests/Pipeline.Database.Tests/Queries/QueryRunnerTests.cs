using System.Text;
using Pipeline.Database.Queries;
using Pipeline.Database.Queries.Catalog;
using Pipeline.Indexing;
using Xunit;

namespace Pipeline.Database.Tests.Queries;

/// <summary>Whole queries over a few documents: conditions, orders, projections, includes, pages.</summary>
public sealed partial class QueryRunnerTests : IAsyncLifetime
{
    private readonly DocumentDatabase _database = TestDatabase.Open();
    private readonly TestCatalog _catalog;
    private readonly QueryRunner _runner;

    public QueryRunnerTests()
    {
        _catalog = new TestCatalog(_database);
        _runner = new QueryRunner(_database, _catalog);
    }

    public async Task InitializeAsync()
    {
        await Put(
            "companies/1",
            """{"Name":"Alfreds Futterkiste","City":"Berlin","@metadata":{"@collection":"Companies"}}"""
        );
        await Put("companies/2", """{"Name":"Blauer See","City":"Mannheim","@metadata":{"@collection":"Companies"}}""");
        await Put(
            "orders/1",
            """{"No":1,"Company":"companies/1","Total":10,"Freight":2.5,"City":"Oslo","ShipTo":{"City":"Oslo"},"Tags":["a","b"],"When":"2020-01-01T10:00:00","Paid":true,"Note":"A red FOX jumps","Lines":[{"Product":"p/1","Price":10}],"Lat":59.9,"Lon":10.7,"@metadata":{"@collection":"Orders"}}"""
        );
        await Put(
            "orders/2",
            """{"No":2,"Company":"companies/2","Total":20.5,"Freight":null,"City":"Bergen","ShipTo":{"City":"Bergen"},"Tags":["b"],"When":"2020-01-02T00:00:00+02:00","Paid":false,"Note":"the fox is red red red","Lines":[{"Product":"p/2","Price":5},{"Product":"p/3","Price":7}],"Lat":60.4,"Lon":5.3,"@metadata":{"@collection":"Orders"}}"""
        );
        await Put(
            "orders/3",
            """{"No":10,"Company":"companies/1","Total":30,"City":"oslo","ShipTo":{"City":"Oslo"},"Tags":[],"When":"2021-06-01","Paid":true,"Note":"foxes and hounds","Lines":[{"Product":"p/1","Price":3},{"Product":"p/3","Price":4}],"Lat":59.91,"Lon":10.75,"@metadata":{"@collection":"Orders"}}"""
        );
        await Put(
            "orders/4",
            """{"No":"x2","Company":"companies/9","Total":"n/a","City":"Århus","Tags":["a","c"],"Paid":true,"Note":"red","Lines":[],"Lat":56.2,"Lon":10.2,"@metadata":{"@collection":"Orders"}}"""
        );
    }

    public async Task DisposeAsync() => await _database.DisposeAsync();

    [Theory]
    // the documents themselves
    [InlineData("from Orders", "1 2 3 4")]
    [InlineData("from orders where true", "1 2 3 4")]
    [InlineData("from Nothing", "")]
    [InlineData("from Orders where id() = 'ORDERS/2'", "2")]
    [InlineData("from Orders where id() = 'companies/1'", "")]
    [InlineData("from Orders as o where id(o) in ('orders/3', 'orders/1', 'orders/77')", "3 1")]
    [InlineData("from Orders where id() in ($ids)", "1 4")]
    [InlineData(
        "from Orders where startsWith(id(), 'orders/') and id() != 'orders/2' and not id() = 'orders/3'",
        "1 4"
    )]
    [InlineData("from Orders where endsWith(id(), '2') or id() between 'orders/3' and 'orders/4'", "2 3 4")]
    [InlineData("from Orders order by id() desc limit 2", "4 3")]
    [InlineData("from Orders limit 1, 2", "2 3")]
    [InlineData("from Orders offset 3", "4")]
    // comparisons
    [InlineData("from Orders where City = 'OSLO'", "1 3")]
    [InlineData("from Orders where City = $city", "1 3")]
    [InlineData("from Orders where exact(City = 'Oslo')", "1")]
    [InlineData("from Orders where City = 'århus'", "4")]
    [InlineData("from Orders where City != 'Oslo'", "2 4")]
    [InlineData("from Orders where not City = 'Oslo' and Paid = true", "4")]
    [InlineData("from Orders where ShipTo.City = 'oslo'", "1 3")]
    [InlineData("from Orders as o where o.Lines[].Product = 'p/3'", "2 3")]
    [InlineData("from Orders where Total = 10", "1")]
    [InlineData("from Orders where Total = 10.0", "1")]
    [InlineData("from Orders where Total = '10'", "")]
    [InlineData("from Orders where Total = 'N/A'", "4")]
    [InlineData("from Orders where Total > 10", "2 3")]
    [InlineData("from Orders where Total >= 10 and Total < 30", "1 2")]
    [InlineData("from Orders where Total between 10 and $max", "1 2")]
    [InlineData("from Orders where City < 'd'", "2")]
    [InlineData("from Orders where City between 'bergen' and 'oslo'", "1 2 3")]
    [InlineData("from Orders where City > 'c'", "1 3 4")]
    [InlineData("from Orders where Paid = false", "2")]
    [InlineData("from Orders where Freight = null", "2")]
    [InlineData("from Orders where Freight > null", "")]
    [InlineData("from Orders where exists(Freight)", "1 2")]
    [InlineData("from Orders where not exists(Freight)", "3 4")]
    [InlineData("from Orders where When = '2020-01-01T22:00:00Z'", "2")]
    [InlineData("from Orders where When >= '2020-01-01T22:00' and When < '2022-01-01'", "2 3")]
    [InlineData("from Orders where startsWith(When, '2020-01')", "1 2")]
    // lists
    [InlineData("from Orders where City in ('OSLO', 'Bergen')", "1 2 3")]
    [InlineData("from Orders where No in (1, 'X2', 7)", "1 4")]
    [InlineData("from Orders where No in ($numbers)", "1 3")]
    [InlineData("from Orders where Freight in (null, 7)", "2")]
    [InlineData("from Orders where City in ()", "")]
    [InlineData("from Orders where Tags all in ('a', 'b')", "1")]
    [InlineData("from Orders where Tags all in ()", "1 2 3 4")]
    [InlineData("from Orders where Tags in ('c', 'b')", "1 2 4")]
    // patterns
    [InlineData("from Orders where startsWith(City, 'OS')", "1 3")]
    [InlineData("from Orders where endsWith(City, 'EN')", "2")]
    [InlineData("from Orders where regex(City, '^[ob]')", "1 2 3")]
    [InlineData("from Orders where fuzzy(City = 'osla', 0.7)", "1 3")]
    [InlineData("from Orders where fuzzy(Company = 'kompanyez/1', 0.7)", "1 3")]
    // words
    [InlineData("from Orders where search(Note, 'red')", "4 2 1")]
    [InlineData("from Orders where search(Note, 'hounds jumps')", "3 1")]
    [InlineData("from Orders where search(Note, 'RED fox', and)", "2 1")]
    [InlineData("from Orders where search(Note, '\"red fox\"')", "1")]
    [InlineData("from Orders where search(Note, 'fox*') order by id()", "1 2 3")]
    [InlineData("from Orders where search(Note, '*es') order by id()", "3")]
    [InlineData("from Orders where search(Note, 'h*nds j?mps')", "3")]
    [InlineData("from Orders where search(Note, '')", "")]
    [InlineData("from Orders where search(Note, $words) and Paid = true order by id()", "1 4")]
    [InlineData("from Orders where boost(search(Note, 'hounds'), 10) or search(Note, 'red') limit 1", "3")]
    [InlineData("from Orders where proximity(search(Note, 'fox red'), 1)", "2")]
    [InlineData("from Orders where lucene(Note, '+red -hounds -\"the fox\"') order by id()", "1 4")]
    [InlineData("from Orders where lucene(Note, 'fo?es OR jumps~1 OR Note:(red AND the)') order by id()", "1 2 3")]
    [InlineData(
        "from Orders where lucene(Total, '[10 TO 25]') and lucene(City, 'b* OR [o TO p]') order by id()",
        "1 2"
    )]
    // ranges whose ends clients leave open
    [InlineData("from Orders where Total >= $low and Total <= 20.5 order by id()", "1 2")]
    [InlineData("from Orders where Total < $high order by id()", "1 2 3 4")]
    [InlineData("from Orders where Total between $low and 20.5 order by id()", "1 2")]
    [InlineData("from Orders where City between 'c' and $high order by id()", "1 3 4")]
    [InlineData("from Orders where When > $low order by id()", "1 2 3")]
    [InlineData("from Orders where When between $low and $high order by id()", "1 2 3")]
    [InlineData("from Orders filter When > $low", "1 2 3")]
    [InlineData("from Orders filter Total between $low and 20.5", "1 2")]
    // places
    [InlineData("from Orders where spatial.within(spatial.point(Lat, Lon), spatial.circle(50, 59.9, 10.7))", "1 3")]
    [InlineData(
        "from Orders where spatial.disjoint(spatial.point(Lat, Lon), spatial.circle(31, 59.9, 10.7, 'miles'))",
        "2 4"
    )]
    [InlineData(
        "from Orders where spatial.intersects(spatial.point(Lat, Lon), spatial.wkt('POLYGON((10 59, 11 59, 11 61, 10 61, 10 59))'))",
        "1 3"
    )]
    [InlineData(
        "from Orders where spatial.within(spatial.point(Lat, Lon), spatial.wkt('GEOMETRYCOLLECTION(POLYGON((5 60, 6 60, 6 61, 5 61, 5 60)), POINT(10.7 59.9))'))",
        "1 2"
    )]
    [InlineData(
        "from Orders where spatial.within(spatial.point(Lat, Lon), spatial.wkt('CIRCLE(10.7 59.9 d=20)'))",
        "1 3"
    )]
    [InlineData("from Orders where spatial.within(spatial.point(Lat, Lon), spatial.circle(0, 56.2, 10.2))", "4")]
    [InlineData("from Orders where spatial.contains(spatial.point(Lat, Lon), spatial.wkt('POINT(5.3 60.4)'))", "2")]
    [InlineData("from Orders order by spatial.distance(spatial.point(Lat, Lon), spatial.point(60.4, 5.3))", "2 1 3 4")]
    // orders
    [InlineData("from Orders order by Total as double desc", "3 2 1 4")]
    [InlineData("from Orders where Paid = true order by Total as long", "4 1 3")]
    [InlineData("from Orders where exists(When) order by When desc", "3 2 1")]
    [InlineData("from Orders order by City, Total as double desc", "2 3 1 4")]
    [InlineData("from Orders where search(Note, 'red') order by score() desc", "1 2 4")]
    [InlineData("from Orders where Paid = true order by id() desc", "4 3 1")]
    [InlineData("from Orders where Paid = true order by id() desc limit 1 offset 1", "3")]
    // all documents
    [InlineData("from @all_docs where City = 'Berlin' or City = 'Bergen'", "companies/1 2")]
    // filter
    [InlineData("from Orders filter Total > 15", "2 3")]
    [InlineData("from Orders where Paid = true filter Lines[].Price < 5", "3")]
    [InlineData("from Orders as o where o.Paid = true load o.Company as c filter c.City = 'Berlin' limit 1, 1", "3")]
    [InlineData("from Orders filter Paid filter_limit 2", "1")]
    public async Task A_condition_or_order_finds(string query, string expected) =>
        Assert.Equal(expected, Ids(await Run(query)));

    [Theory]
    [InlineData(
        "from Orders as o where o.Total = 10 select o.City, Total as T, ShipTo.City, o.Lines[].Product as P",
        """{"City":"Oslo","T":10,"ShipTo.City":"Oslo","P":["p/1"]}"""
    )]
    [InlineData(
        "from Orders as o where o.Total = 10 select { Sum: o.Total + o.Freight, Id: id(o) }",
        """{"Sum":12.5,"Id":"orders/1"}"""
    )]
    [InlineData(
        "from Orders as o where o.Total = 10 load o.Company as c select o.No, c.Name as Company, c.Nothing",
        """{"No":1,"Company":"Alfreds Futterkiste","Nothing":null}"""
    )]
    [InlineData(
        "from Orders as o where o.Total = 10 load o.Company as c select c",
        """{"Name":"Alfreds Futterkiste","City":"Berlin"}"""
    )]
    [InlineData(
        "from Orders select distinct ShipTo.City",
        """{"ShipTo.City":"Oslo"} {"ShipTo.City":"Bergen"} {"ShipTo.City":null}"""
    )]
    [InlineData("from Orders where Paid = true select distinct ShipTo.City limit 1, 1", """{"ShipTo.City":null}""")]
    [InlineData(
        "from Orders group by Company order by count() as long desc select key() as Company, count(), sum(Total) as Sum",
        """{"Company":"companies/1","Count":2,"Sum":40} {"Company":"companies/2","Count":1,"Sum":20.5} {"Company":"companies/9","Count":1,"Sum":0}"""
    )]
    [InlineData(
        "from Orders group by Company where count() > 1 select Company, sum(Total) / count() as Mean",
        """{"Company":"companies/1","Mean":20}"""
    )]
    [InlineData(
        "from index 'Orders/Text' where No = 1 select City, Note",
        """{"City":"stored Oslo","Note":"A red FOX jumps"}"""
    )]
    [InlineData(
        "from Orders select facet(City)",
        """{"Name":"City","Values":[{"Range":"bergen","Count":1},{"Range":"oslo","Count":2},{"Range":"århus","Count":1}],"RemainingTerms":[],"RemainingTermsCount":0,"RemainingHits":0}"""
    )]
    [InlineData(
        "from Orders where Paid = true select facet(Tags) as T",
        """{"Name":"T","Values":[{"Range":"a","Count":2},{"Range":"b","Count":1},{"Range":"c","Count":1}],"RemainingTerms":[],"RemainingTermsCount":0,"RemainingHits":0}"""
    )]
    [InlineData(
        "from Orders select facet(City, '{\"TermSortMode\":\"CountDesc\",\"PageSize\":1,\"IncludeRemainingTerms\":true}')",
        """{"Name":"City","Values":[{"Range":"oslo","Count":2}],"RemainingTerms":["bergen","århus"],"RemainingTermsCount":2,"RemainingHits":2}"""
    )]
    [InlineData(
        "from Orders as o select facet(o.Total < 20, o.Total >= 20 and o.Total < $max, o.Total between 20.5 and 30)",
        """{"Name":"Total","Values":[{"Range":"Total < 20","Count":1},{"Range":"Total >= 20 and Total < 20.5","Count":0},{"Range":"Total between 20.5 and 30","Count":2}],"RemainingTerms":[],"RemainingTermsCount":0,"RemainingHits":0}"""
    )]
    [InlineData(
        "from Orders select facet(When < '2020-06-01', When >= '2020-06-01')",
        """{"Name":"When","Values":[{"Range":"When < '2020-06-01'","Count":2},{"Range":"When >= '2020-06-01'","Count":1}],"RemainingTerms":[],"RemainingTermsCount":0,"RemainingHits":0}"""
    )]
    [InlineData(
        "from Orders where Company = 'companies/1' select facet(Company, sum(Total) as T1, avg(Total) as T1, sum(Total) as 'T 2', max(No))",
        """{"Name":"Company","Values":[{"Range":"companies/1","Count":2,"Name":"T1","Sum":40,"Average":20},{"Range":"companies/1","Count":2,"Name":"T 2","Sum":40},{"Range":"companies/1","Count":2,"Name":"No","Max":10}],"RemainingTerms":[],"RemainingTermsCount":0,"RemainingHits":0}"""
    )]
    [InlineData(
        "from Orders select facet(Company, sum(Total), max(No))",
        """{"Name":"Company","Values":[{"Range":"companies/1","Count":2,"Name":"Total","Sum":40},{"Range":"companies/1","Count":2,"Name":"No","Max":10},{"Range":"companies/2","Count":1,"Name":"Total","Sum":20.5},{"Range":"companies/2","Count":1,"Name":"No","Max":2},{"Range":"companies/9","Count":1,"Name":"Total"},{"Range":"companies/9","Count":1,"Name":"No"}],"RemainingTerms":[],"RemainingTermsCount":0,"RemainingHits":0}"""
    )]
    [InlineData(
        "from Orders select facet(No)",
        """{"Name":"No","Values":[{"Range":"1","Count":1},{"Range":"2","Count":1},{"Range":"10","Count":1},{"Range":"x2","Count":1}],"RemainingTerms":[],"RemainingTermsCount":0,"RemainingHits":0}"""
    )]
    [InlineData("from Orders select suggest(Note, 'houndz')", """{"Name":"Note","Suggestions":["hounds"]}""")]
    [InlineData(
        "from Orders as o select suggest(o.Note, $misspelt, '{\"Accuracy\":0.3,\"SortMode\":\"None\",\"PageSize\":1}') as S",
        """{"Name":"S","Suggestions":["jumps","foxes"]}"""
    )]
    public async Task A_projection_gives(string query, string expected)
    {
        Define();
        Assert.Equal(expected, string.Join(' ', (await Run(query)).Items.Select(i => i.ToString())));
    }

    private static (long, bool) Total(QueryResult result) => (result.Total, result.IsTotalExact);

    private static string Ids(QueryResult result) =>
        string.Join(' ', result.Items.Select(i => i.Id!.Replace("orders/", "", StringComparison.Ordinal)));

    private void Define()
    {
        _catalog.Defined["Orders/Text"] = (
            "Orders",
            [
                (new QueryField("City", FieldOptions.Default) { IsStored = true }, "City"),
                (TestCatalog.Words("Note"), "Note"),
                (new QueryField("No", FieldOptions.Default), "No"),
            ],
            false
        );
        _catalog.Defined["Orders/Lines"] = ("Orders", [(new QueryField("Price", FieldOptions.Default), "Price")], true);
    }

    private ValueTask<QueryResult> Run(string query) =>
        _runner.RunAsync(
            new QueryRequest(query)
            {
                Parameters = new QueryParameters(
                    new Dictionary<string, object?>
                    {
                        ["ids"] = new[] { "orders/1", "orders/4" },
                        ["city"] = "oslo",
                        ["low"] = "*",
                        ["high"] = "NULL",
                        ["max"] = 20.5m,
                        ["numbers"] = new List<int> { 1, 10 },
                        ["words"] = "red",
                        ["misspelt"] = new[] { "jumpz", "foxe" },
                    }
                ),
            }
        );

    private async Task Put(string id, string json) => await _database.PutAsync(id, Encoding.UTF8.GetBytes(json));
}
