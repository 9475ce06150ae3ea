using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;
using Pipeline.Client;
using Pipeline.Hosting;
using Pipeline.Hosting.Clients;
using Pipeline.WorkerKit;
using Xunit;

namespace Pipeline.Worker.Tests.Hosting;

/// <summary><c>AddPipelineClient</c>: a database of another process by a connection string.</summary>
public sealed class ClientHostingTests
{
    [Fact]
    public async Task Sessions_reach_a_worker_below_a_path_of_another_application()
    {
        using var folder = new HostFolder();
        await using var server = await ServeAsync(folder);
        var builder = folder.NewBuilder(
            ("ConnectionStrings:shop", $"{server.Urls.First()}/pipeline"),
            ("ConnectionStrings:typo", $"Endpoint={server.Urls.First()}/pipeline;Database=shopp")
        );
        builder.Services.AddHostedService<OrderWriter>();
        builder.Services.AddPipelineClient("shop");
        builder.Services.AddPipelineClient("typo");
        builder.Services.AddHealthChecks().AddPipeline().AddPipeline("typo", key: "typo");
        await using var app = builder.Build();
        await app.StartAsync();
        await using (var scope = app.Services.CreateAsyncScope())
        {
            var session = scope.ServiceProvider.GetRequiredService<IDocumentSession>();
            Assert.Single(await session.Query<Order>().Where(o => o.Total == 1).ToListAsync());
        }
        var report = await app.Services.GetRequiredService<HealthCheckService>().CheckHealthAsync();
        Assert.Equal(
            (HealthStatus.Healthy, null),
            (report.Entries["pipeline"].Status, report.Entries["pipeline"].Description)
        );
        Assert.Equal(HealthStatus.Unhealthy, report.Entries["typo"].Status);
        Assert.Contains(
            "has no database 'shopp' at http://127.0.0.1:",
            report.Entries["typo"].Description,
            StringComparison.Ordinal
        );
        await app.StopAsync();
        await server.StopAsync();
    }

    [Fact]
    public async Task A_server_that_is_away_is_unhealthy()
    {
        using var folder = new HostFolder();
        string gone;
        await using (var server = await ServeAsync(folder))
            gone = server.Urls.First();
        var builder = folder.NewBuilder(("ConnectionStrings:shop", gone));
        builder.Services.AddPipelineClient("shop");
        builder.Services.AddHealthChecks().AddPipeline();
        await using var app = builder.Build();
        await app.StartAsync();
        var report = await app.Services.GetRequiredService<HealthCheckService>().CheckHealthAsync();
        Assert.Equal(HealthStatus.Unhealthy, report.Status);
        Assert.Contains("cannot be reached", report.Entries["pipeline"].Description, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("http://host:8080/databases/orders", "http://host:8080", "orders")]
    [InlineData("https://host/databases/o%20k/", "https://host", "o k")]
    [InlineData("http://host:8080/admin/pipeline/databases/orders", "http://host:8080/admin/pipeline", "orders")]
    [InlineData("http://host:8080", "http://host:8080", "shop")]
    [InlineData("http://host:8080/pipeline/", "http://host:8080/pipeline", "shop")]
    [InlineData("Url=http://host:8080;Database=orders", "http://host:8080", "orders")]
    [InlineData("Endpoint=http://host:8080/databases/orders", "http://host:8080", "orders")]
    [InlineData("url=http://host:8080", "http://host:8080", "shop")]
    public void A_connection_string_names_a_server_and_a_database(string text, string url, string database)
    {
        var connection = new ClientConnection();
        connection.Read(Configuration(text), "shop");
        Assert.Equal((url, database), (connection.Url, connection.Database));
    }

    [Theory]
    [InlineData(null, "is missing")]
    [InlineData(" ", "is missing")]
    [InlineData("host:8080", "is neither an address nor a list")]
    [InlineData("ftp://host", "is neither an address nor a list")]
    [InlineData("Database=orders", "contains no http or https address")]
    [InlineData("Url=host", "contains no http or https address")]
    [InlineData("Url=http://host;Password=secret", "has the unknown part 'password'")]
    [InlineData("http://user:secret@host", "has a user, a query or a fragment")]
    [InlineData("http://host/databases/a/b", "names more than one database")]
    [InlineData("Url=http://host/databases/a;Database=b", "names more than one database")]
    public void A_connection_string_that_is_none_is_named_by_its_key_and_not_quoted(string? text, string problem)
    {
        var error = Assert.Throws<InvalidOperationException>(() =>
            new ClientConnection().Read(Configuration(text), "shop")
        );
        Assert.StartsWith("ConnectionStrings:shop " + problem, error.Message, StringComparison.Ordinal);
        Assert.DoesNotContain("secret", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_missing_connection_string_fails_the_start()
    {
        using var folder = new HostFolder();
        var builder = folder.NewBuilder();
        builder.Services.AddPipelineClient("shop");
        await using var app = builder.Build();
        Assert.StartsWith(
            "ConnectionStrings:shop is missing",
            (await Assert.ThrowsAsync<InvalidOperationException>(() => app.StartAsync())).Message,
            StringComparison.Ordinal
        );
    }

    private static IConfiguration Configuration(string? text) =>
        new ConfigurationBuilder().AddInMemoryCollection([KeyValuePair.Create("ConnectionStrings:shop", text)]).Build();

    private static async Task<WebApplication> ServeAsync(HostFolder folder)
    {
        var builder = folder.NewBuilder();
        builder.Services.AddPipeline();
        var app = builder.Build();
        app.MapPipeline();
        await app.StartAsync();
        return app;
    }
}
