using System.Net;
using System.Text.Json;
using Pipeline.Database.Indexes;
using Pipeline.Database.Queries.Language.Syntax;
using Pipeline.Hosting;
using Pipeline.Indexing;
using Pipeline.TestKit.Files;
using Pipeline.WorkerKit;
using Xunit;

namespace Pipeline.Worker.Tests;

/// <summary>Queries and indexes as a user sees them: in YAML, at the terminal, over HTTP.</summary>
public sealed class QueryCommandTests : IAsyncLifetime, IDisposable
{
    private readonly TestFolder _folder = new();
    private PipelineWorker _worker = null!;

    private string Url => _worker.Address!.ToString();

    public async Task InitializeAsync()
    {
        var file = _folder.Write(
            "pipeline.yaml",
            $$"""
            version: 1
            database: { name: shop, path: ./data }
            import: ['{{NorthwindFile.Path}}']
            server: { url: "http://127.0.0.1:0" }
            indexes:
              - name: Orders/Totals
                maps:
                  - |
                    from o in docs.Orders
                    select new { o.Company, o.Freight, Lines = o.Lines.Count() }
              - name: Orders/ByCompany
                maps: ["from o in docs.Orders select new { o.Company, Count = 1 }"]
                reduce: "from r in results group r by r.Company into g select new { Company = g.Key, Count = g.Sum(x => x.Count) }"
              - name: Products/Text
                maps: ["from p in docs.Products select new { p.Name, Half = 10 / ((int)p.UnitsInStock) }"]
                fields: { Name: { analyzer: standard, stored: true, boost: 2.5, sort: alphaNumeric }, Half: { indexing: exact } }
            """
        );
        _worker = await PipelineWorker.OpenAsync(new WorkerOptions { ConfigurationFile = file, Listens = true });
        foreach (var index in _worker.Configuration.Indexes)
            Assert.True(await _worker.Database.Indexes.WaitAsync(index.Name, timeout: TimeSpan.FromMinutes(1)));
    }

    public Task DisposeAsync() => _worker.DisposeAsync().AsTask();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public async Task AQueryIsATableOfItsResults()
    {
        var run = await WorkerRun.InvokeAsync(
            "query",
            "from index 'Orders/ByCompany' where Count > 25 order by Count as long desc",
            "--url",
            Url
        );
        Assert.Equal(("", ExitCodes.Success), (run.Error, run.ExitCode));
        var counts = NorthwindFile
            .Read()
            .Where(d => NorthwindFile.Collection(d) == "Orders")
            .GroupBy(o => o.GetProperty("Company").GetString()!)
            .Where(g => g.Count() > 25)
            .ToList();
        foreach (var company in counts)
            Assert.Matches($"{company.Key}.* {company.Count()} ", run.Out);
        Assert.Contains($"{counts.Count} results from Orders/ByCompany, ", run.Out, StringComparison.Ordinal);
    }

    [Fact]
    public void OptionsOfFieldsAreReadFromTheConfiguration()
    {
        var fields = _worker.Database.Indexes.Get("Products/Text")!.Definition.Fields;
        Assert.Equal(
            new IndexFieldDefinition
            {
                Indexing = TermForm.Search,
                Analyzer = "standard",
                Stored = true,
                Boost = 2.5f,
                Sort = OrderType.AlphaNumeric,
            },
            fields["Name"]
        );
        Assert.Equal(new IndexFieldDefinition { Indexing = TermForm.Exact }, fields["Half"]);
    }

    [Fact]
    public async Task OptionsAskForPlanExplanationsAndJson()
    {
        var run = await WorkerRun.InvokeAsync(
            "query",
            "from index 'Products/Text' where search(Name, 'chef') select Name",
            "--timings",
            "--explain",
            "--wait",
            "--url",
            Url
        );
        Assert.Equal(("", ExitCodes.Success), (run.Error, run.ExitCode));
        Assert.Contains("Chef Anton's", run.Out, StringComparison.Ordinal);
        Assert.Matches("estimated [0-9]+, actual [0-9]+, .* ms", run.Out);
        Assert.Contains("idf", run.Out, StringComparison.OrdinalIgnoreCase);
        var json = JsonDocument
            .Parse(
                (
                    await WorkerRun.InvokeAsync(
                        "query",
                        "from Orders where Freight > 500 limit 3",
                        "--json",
                        "--url",
                        Url
                    )
                ).Out
            )
            .RootElement;
        Assert.Equal(3, json.GetProperty("Results").GetArrayLength());
        Assert.Equal(
            NorthwindFile
                .Read()
                .Count(d => NorthwindFile.Collection(d) == "Orders" && d.GetProperty("Freight").GetDouble() > 500),
            json.GetProperty("TotalResults").GetInt64()
        );
        Assert.StartsWith("Auto/Orders/By", json.GetProperty("IndexName").GetString(), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("from Orders wher Freight > 1", "Invalid query at 1:13")]
    [InlineData("from index 'Orders/Total'", "did you mean 'Orders/Totals'")]
    public async Task AWrongQuerySaysWhereAndHowToFixIt(string query, string expected)
    {
        var run = await WorkerRun.InvokeAsync("query", query, "--url", Url);
        Assert.NotEqual(ExitCodes.Success, run.ExitCode);
        Assert.Contains(expected, run.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task IndexesAreListedWithTheirErrorsAndCanBeResetAndDeleted()
    {
        var list = await WorkerRun.InvokeAsync("indexes", "--batches", "--url", Url);
        Assert.Matches("Orders/Totals .* normal .* 830 .* 0 .* 0\\.0 .* 0 ", list.Out);
        Assert.Matches("Products/Text .* normal ", list.Out);
        Assert.Contains("behind s", list.Out, StringComparison.Ordinal);
        Assert.Contains("map ms", list.Out, StringComparison.Ordinal);

        var unsold = NorthwindFile
            .Read()
            .Count(d => NorthwindFile.Collection(d) == "Products" && d.GetProperty("UnitsInStock").GetInt32() == 0);
        var errors = await WorkerRun.InvokeAsync("index", "errors", "Products/Text", "--url", Url);
        Assert.Equal(unsold, errors.Out.Split('\n', StringSplitOptions.RemoveEmptyEntries).Length);
        Assert.Matches("products/.*: map:1:.*: .*zero", errors.Out);

        Assert.Equal(
            $"index 'Orders/Totals' will be rebuilt in the background by 'pipeline run'{Environment.NewLine}",
            (await WorkerRun.InvokeAsync("index", "reset", "Orders/Totals", "--url", Url)).Out
        );
        Assert.True(await _worker.Database.Indexes.WaitAsync("Orders/Totals", timeout: TimeSpan.FromMinutes(1)));
        Assert.Equal(
            $"index 'Orders/Totals' is deleted{Environment.NewLine}",
            (await WorkerRun.InvokeAsync("index", "delete", "Orders/Totals", "--url", Url)).Out
        );
        var gone = await WorkerRun.InvokeAsync("index", "delete", "Orders/Totals", "--url", Url);
        Assert.Equal(ExitCodes.Failed, gone.ExitCode);
        Assert.Contains("there is no index 'Orders/Totals'", gone.Error, StringComparison.OrdinalIgnoreCase);
    }

    [Fact]
    public async Task AnAnswerHasAnETagAndIsNotSentAgainWhereNothingChanged()
    {
        using var client = new HttpClient { BaseAddress = _worker.Address };
        var query = new
        {
            Query = "from Orders where Company = $c",
            QueryParameters = new { c = "companies/VINET" },
            WaitForNonStaleResults = true,
        };
        using var first = await client.PostAsync("/databases/shop/queries", Content(query));
        Assert.Equal(HttpStatusCode.OK, first.StatusCode);
        Assert.Equal(
            5,
            JsonDocument
                .Parse(await first.Content.ReadAsStringAsync())
                .RootElement.GetProperty("TotalResults")
                .GetInt32()
        );

        async Task<HttpStatusCode> AgainAsync()
        {
            using var request = new HttpRequestMessage(HttpMethod.Post, "/databases/shop/queries")
            {
                Content = Content(query),
            };
            request.Headers.IfNoneMatch.Add(first.Headers.ETag!);
            using var response = await client.SendAsync(request);
            return response.StatusCode;
        }

        Assert.Equal(HttpStatusCode.NotModified, await AgainAsync());
        await _worker.Database.PutAsync(
            "companies/new",
            """{"Name":"New","@metadata":{"@collection":"Companies"}}"""u8.ToArray()
        );
        Assert.Equal(HttpStatusCode.NotModified, await AgainAsync());
        await _worker.Database.PutAsync(
            "orders/new",
            """{"Company":"companies/VINET","@metadata":{"@collection":"Orders"}}"""u8.ToArray()
        );
        Assert.Equal(HttpStatusCode.OK, await AgainAsync());
        using var none = await client.PostAsync("/databases/shop/queries", Content(new { Query = "" }));
        Assert.Equal(HttpStatusCode.BadRequest, none.StatusCode);
    }

    private static StringContent Content(object value) =>
        new(JsonSerializer.Serialize(value), System.Text.Encoding.UTF8, "application/json");

    [Fact]
    public async Task ADataFolderAnswersToo()
    {
        var data = _folder["other"];
        await WorkerRun.InvokeAsync("import", NorthwindFile.Path, "--data", data);
        var run = await WorkerRun.InvokeAsync("query", "from Products where Name = 'chai' select Name", "--data", data);
        Assert.Equal(("", ExitCodes.Success), (run.Error, run.ExitCode));
        Assert.Contains("Chai", run.Out, StringComparison.Ordinal);
        Assert.Contains("1 result from Auto/Products/ByName, ", run.Out, StringComparison.Ordinal);
        Assert.Contains(
            "Auto/Products/ByName",
            (await WorkerRun.InvokeAsync("indexes", "--data", data)).Out,
            StringComparison.Ordinal
        );
    }

    [Fact]
    public async Task AMapThatDoesNotCompileIsAnErrorAtItsPlaceInTheFile()
    {
        var file = _folder.Write(
            "broken.yaml",
            """
            version: 1
            database: { name: shop, path: ./elsewhere }
            indexes:
              - name: Orders/Broken
                maps:
                  - from o in docs.Orders select new { o.Company, X = nothing }
            """
        );
        var run = await WorkerRun.InvokeAsync("lint", file);
        Assert.Equal(ExitCodes.Usage, run.ExitCode);
        Assert.Contains(":6:59: map of 'Orders/Broken': CS0103", run.Out + run.Error, StringComparison.Ordinal);
    }
}
