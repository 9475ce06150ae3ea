using System.Text;
using System.Text.RegularExpressions;
using Pipeline.Database.Indexes;
using Pipeline.Database.Queries;
using Pipeline.Database.Queries.Catalog;
using Pipeline.Database.Queries.Evaluation;
using Pipeline.Json;
using Pipeline.TestKit.Files;
using Xunit;

namespace Pipeline.Database.Tests.Queries;

/// <summary>Every example on the query page runs and finds something, and the page names every method.</summary>
public sealed partial class QueryPageTests : IAsyncLifetime
{
    private readonly DocumentDatabase _database = TestDatabase.Open();

    private static string Page => File.ReadAllText(Path.Combine(RepositoryTree.Root, "engine/QUERIES.md"));

    public async Task InitializeAsync()
    {
        await _database.Indexes.PutAsync(
            new IndexDefinition
            {
                Name = "Orders/Text",
                Maps = ["from o in docs.Orders select new { o.City, o.Note }"],
                Fields = new Dictionary<string, IndexFieldDefinition>
                {
                    ["Note"] = new() { Analyzer = "standard", Stored = true },
                },
            }
        );
        await _database.Indexes.PutAsync(
            new IndexDefinition
            {
                Name = "Orders/Lines",
                Maps = ["from o in docs.Orders from l in o.Lines select new { l.Price }"],
            }
        );
        await _database.Indexes.PutAsync(
            new IndexDefinition
            {
                Name = "Orders/Weighed",
                Maps =
                [
                    "from o in docs.Orders select new { Note = o.Note.Boost(2), o.Discount }.Boost(o.Paid == true ? 3 : 1)",
                ],
                Fields = new Dictionary<string, IndexFieldDefinition> { ["Note"] = new() { Analyzer = "standard" } },
            }
        );
        await Put("facets/orders", """{"Facets":[{"FieldName":"City"}]}""");
        await _database.WriteAsync(t => t.PutCompareExchange("preferred", BinaryJson.Parse("\"companies/1\""u8), 0));
        await Put("companies/1", """{"Name":"Alfreds","City":"Berlin","@metadata":{"@collection":"Companies"}}""");
        await Put(
            "orders/1",
            """{"Company":"companies/1","Total":10,"Freight":2.5,"City":"Oslo","Code":"a2","Odd name":1,"ShipTo":{"City":"Oslo"},"Tags":["a","b"],"When":"2020-01-01T10:00:00","Paid":true,"Note":"A red FOX jumps","Lines":[{"Product":"p/1","Price":10}],"Lat":59.9,"Lon":10.7,"@metadata":{"@collection":"Orders"}}"""
        );
        await Put(
            "orders/2",
            """{"Company":"companies/2","Total":20.5,"Freight":null,"City":"Bergen","Code":"a10","ShipTo":{"City":"Bergen"},"Tags":["b"],"When":"2020-01-02T00:00:00+02:00","Paid":false,"Note":"hounds run","Lines":[{"Product":"p/2","Price":5},{"Product":"p/3","Price":7}],"Lat":60.4,"Lon":5.3,"@metadata":{"@collection":"Orders"}}"""
        );
        await Put(
            "orders/3",
            """{"Company":"companies/1","Total":30,"Freight":1,"City":"Oslo","Code":"b","ShipTo":{"City":"Oslo"},"Tags":[],"When":"2021-06-01","Paid":true,"Note":"a red hound","Lines":[],"Lat":56.2,"Lon":10.2,"@metadata":{"@collection":"Orders"}}"""
        );
    }

    public async Task DisposeAsync() => await _database.DisposeAsync();

    [Fact]
    public async Task Every_example_of_the_page_finds_something()
    {
        List<string> examples =
        [
            .. Example().Matches(Page).Select(m => m.Groups[1].Value.Replace("\\|", "|", StringComparison.Ordinal)),
        ];
        Assert.True(examples.Count >= 50, $"only {examples.Count} examples were found");
        var parameters = new QueryParameters(new Dictionary<string, object?> { ["city"] = "OSLO", ["take"] = 1 });
        foreach (var example in examples)
        {
            var result = await _database.QueryAsync(
                new QueryRequest(example) { Parameters = parameters, Wait = new IndexWait(TimeSpan.FromMinutes(1)) }
            );
            Assert.True(result.Items.Count > 0, "nothing is found by: " + example);
        }
    }

    [Fact]
    public void The_page_names_every_method()
    {
        var page = Page;
        foreach (
            var name in QueryEvaluator
                .Functions.Except(["metadataFor", "exact", "exists", "average"])
                .Concat(TextMethods.Names.Except(["toString"]))
                .Concat(MathFunctions.Names)
        )
        {
            Assert.True(Regex.IsMatch(page, $@"\b{name}\b"), $"{name} is not on the page");
        }
    }

    private async Task Put(string id, string json) => await _database.PutAsync(id, Encoding.UTF8.GetBytes(json));

    [GeneratedRegex(@"^\|.*\| `(from .*)` \|$", RegexOptions.Multiline)]
    private static partial Regex Example();
}
