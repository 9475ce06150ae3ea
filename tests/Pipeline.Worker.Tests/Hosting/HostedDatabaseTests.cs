using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;
using Pipeline.Client;
using Pipeline.Database;
using Pipeline.Documents;
using Pipeline.Hosting;
using Pipeline.Subscriptions;
using Pipeline.WorkerKit;
using Xunit;

namespace Pipeline.Worker.Tests.Hosting;

/// <summary><c>AddPipelineDatabase</c>: databases without tasks.</summary>
public sealed class HostedDatabaseTests
{
    [Fact]
    public async Task Databases_are_there_by_name_and_the_first_also_without()
    {
        using var folder = new HostFolder();
        var builder = folder.NewBuilder(("Pipeline:prices:InMemory", "true"));
        builder.Services.AddHostedService<OrderWriter>();
        builder.Services.AddPipelineDatabase("orders", "data/orders", o => o with { MaxCollections = 10 });
        builder.Services.AddPipelineDatabase("prices", "data/prices");
        Assert.Throws<InvalidOperationException>(() => builder.Services.AddPipelineDatabase("orders", null));
        await using (var app = builder.Build())
        {
            Assert.Contains(
                "'orders' is not open yet",
                Assert.Throws<InvalidOperationException>(app.Services.GetRequiredService<DocumentDatabase>).Message,
                StringComparison.Ordinal
            );
            await app.StartAsync();
            var orders = app.Services.GetRequiredService<DocumentDatabase>();
            Assert.Same(orders, app.Services.GetRequiredKeyedService<DocumentDatabase>("orders"));
            Assert.NotSame(orders, app.Services.GetRequiredKeyedService<DocumentDatabase>("prices"));
            Assert.NotSame(
                app.Services.GetRequiredService<SubscriptionHost>(),
                app.Services.GetRequiredKeyedService<SubscriptionHost>("prices")
            );
            await app.StopAsync();
            Assert.Throws<ObjectDisposedException>(() => orders.OpenSnapshot());
        }
        Assert.False(Directory.Exists(folder["data/prices"]));
        await using var reopened = DocumentDatabase.Open(new DatabaseOptions { Path = folder["data/orders"] });
        using var snapshot = reopened.OpenSnapshot();
        Assert.Equal(2, snapshot.GetStatistics().Collections.Single(c => c.Name == "Orders").Documents);
    }

    [Fact]
    public async Task A_worker_without_a_key_is_the_one_without_a_key()
    {
        using var folder = new HostFolder();
        var builder = folder.NewBuilder();
        builder.Services.AddPipelineDatabase("cache", null);
        builder.Services.AddPipeline();
        await using var app = builder.Build();
        await app.StartAsync();
        Assert.Equal("shop", app.Services.GetRequiredService<DocumentDatabase>().Name);
        Assert.Equal("cache", app.Services.GetRequiredKeyedService<DocumentDatabase>("cache").Name);
    }

    [Fact]
    public async Task It_is_checked_by_its_name()
    {
        using var folder = new HostFolder();
        var builder = folder.NewBuilder();
        builder.Services.AddPipelineDatabase("orders", null);
        builder
            .Services.AddHealthChecks()
            .AddPipeline()
            .AddPipeline("named", key: "orders")
            .AddPipeline("wrong", key: "order", failureStatus: HealthStatus.Degraded);
        await using var app = builder.Build();
        Assert.Equal(HealthStatus.Unhealthy, (await CheckAsync()).Entries["pipeline"].Status);
        await app.StartAsync();
        var report = await CheckAsync();
        Assert.Equal(
            (HealthStatus.Healthy, HealthStatus.Healthy, HealthStatus.Degraded),
            (report.Entries["pipeline"].Status, report.Entries["named"].Status, report.Entries["wrong"].Status)
        );
        Assert.Contains("writable", (string)report.Entries["named"].Data["storage"], StringComparison.Ordinal);
        Assert.Contains("'order'", report.Entries["wrong"].Description, StringComparison.Ordinal);

        Task<HealthReport> CheckAsync() => app.Services.GetRequiredService<HealthCheckService>().CheckHealthAsync();
    }
}
