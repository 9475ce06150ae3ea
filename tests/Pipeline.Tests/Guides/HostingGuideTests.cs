using System.Net;
using System.Net.Http.Json;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;
using Pipeline.Client;
using Pipeline.Hosting;
using Pipeline.WorkerKit;
using Xunit;
using Order = Pipeline.Tests.Guides.DocumentGuideTests.Order;

namespace Pipeline.Tests.Guides;

/// <summary>What docs/guides/hosting.md shows.</summary>
public sealed class HostingGuideTests
{
    [Fact]
    public async Task A_web_application_stores_sends_and_shows_orders()
    {
        using var folder = new HostFolder();
        string[] args =
        [
            "--contentRoot",
            folder["."],
            "--urls",
            "http://127.0.0.1:0",
            "--Logging:LogLevel:Default",
            "None",
        ];
        // begin-snippet: web
        var builder = WebApplication.CreateBuilder(args);
        builder.Services.AddPipeline("pipeline.yaml");
        builder.Services.AddHealthChecks().AddPipeline();

        var app = builder.Build();
        app.MapPost(
            "/orders",
            async (Order order, IDocumentSession session) =>
            {
                session.Store(order);
                await session.SaveChangesAsync();
                return Results.Created($"/orders/{order.Id}", order);
            }
        );
        app.MapHealthChecks("/health");
        app.MapPipeline("/pipeline");
        // end-snippet
        await using (app)
        {
            await app.StartAsync();
            using var http = new HttpClient { BaseAddress = new Uri(app.Urls.First()) };
            Assert.Equal(
                "/orders/orders/1-A",
                (await http.PostAsJsonAsync("/orders", new { Customer = "Ann", Total = 5 }))
                    .Headers
                    .Location!
                    .OriginalString
            );
            Assert.True(await app.Services.GetRequiredService<PipelineWorker>().DrainAsync("orders"));
            Assert.Single(folder.Messages());
            Assert.Equal("Healthy", await http.GetStringAsync("/health"));
            Assert.Equal(HttpStatusCode.OK, (await http.GetAsync("/pipeline/")).StatusCode);
        }
    }

    [Fact]
    public async Task A_service_has_several_databases()
    {
        using var folder = new HostFolder();
        folder.Write("orders.yaml", HostFolder.Yaml);
        await using var server = folder.NewBuilder().Build();
        string[] args =
        [
            "--contentRoot",
            folder["."],
            "--ConnectionStrings:prices",
            "http://127.0.0.1:1",
            "--Logging:LogLevel:Default",
            "None",
        ];
        // begin-snippet: several
        var builder = Host.CreateApplicationBuilder(args);
        builder.Services.AddKeyedPipeline("orders", "orders.yaml");
        builder.Services.AddPipelineDatabase("cache", path: null);
        builder.Services.AddPipelineClient("prices");
        builder.Services.AddHealthChecks().AddPipeline("orders", key: "orders").AddPipeline("prices", key: "prices");
        builder.Services.AddHostedService<Repricing>();
        // end-snippet
        using var host = builder.Build();
        await host.StartAsync();
        var report = await host.Services.GetRequiredService<HealthCheckService>().CheckHealthAsync();
        Assert.Equal(
            (HealthStatus.Healthy, HealthStatus.Unhealthy),
            (report.Entries["orders"].Status, report.Entries["prices"].Status)
        );
        Assert.Contains(host.Services.GetServices<IHostedService>(), s => s is Repricing { HasStarted: true });
        await host.StopAsync();
    }

    // begin-snippet: keyed
    public sealed class Repricing(
        [FromKeyedServices("orders")] IDocumentStore orders,
        [FromKeyedServices("prices")] IDocumentStore prices
    ) : BackgroundService
    // end-snippet
    {
        public bool HasStarted { get; private set; }

        public override Task StartAsync(CancellationToken cancellationToken)
        {
            HasStarted = orders != prices;
            return base.StartAsync(cancellationToken);
        }

        protected override async Task ExecuteAsync(CancellationToken stoppingToken)
        {
            await using var session = orders.OpenSession();
            await session.LoadAsync<Order>("orders/1-A", stoppingToken);
        }
    }
}
