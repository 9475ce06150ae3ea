using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Pipeline.Database;
using Pipeline.Hosting;
using Pipeline.TestKit.Time;
using Pipeline.WorkerKit;
using Xunit;

namespace Pipeline.Worker.Tests.Hosting;

/// <summary><c>AddHealthChecks().AddPipeline()</c>: the worker's readiness as the application's.</summary>
public sealed class HealthHostingTests
{
    [Fact]
    public async Task A_target_that_takes_nothing_makes_the_worker_degraded_and_is_named()
    {
        using var folder = new HostFolder(
            HostFolder.Yaml.Replace("./out }", "./out, create: false }", StringComparison.Ordinal)
        );
        Directory.CreateDirectory(folder["out"]);
        var time = new ManualTimeProvider();
        var builder = folder.NewBuilder();
        builder.Services.AddSingleton<TimeProvider>(time);
        builder.Services.AddPipeline();
        builder.Services.AddHealthChecks().AddPipeline(tags: ["ready"]);
        await using var app = builder.Build();
        Assert.Equal(HealthStatus.Unhealthy, (await CheckAsync()).Status);
        await app.StartAsync();
        var healthy = await CheckAsync();
        Assert.Equal(HealthStatus.Healthy, healthy.Status);
        Assert.Contains("connection out", healthy.Data.Keys);
        Assert.Contains("ready", healthy.Tags);

        // A task that finds no folder when it begins fails, and then the worker is unready. This one has begun.
        await app
            .Services.GetRequiredService<DocumentDatabase>()
            .PutAsync("orders/1", """{"Total":1,"@metadata":{"@collection":"Orders"}}"""u8.ToArray());
        Assert.True(
            await app
                .Services.GetRequiredService<PipelineWorker>()
                .DrainAsync("orders")
                .WaitAsync(TimeSpan.FromSeconds(60))
        );
        Directory.Delete(folder["out"], recursive: true);
        time.Advance(TimeSpan.FromSeconds(16));
        var degraded = await CheckAsync();
        Assert.StartsWith("connection out: ", degraded.Description, StringComparison.Ordinal);
        Assert.True(degraded.Status == HealthStatus.Degraded, degraded.Description);

        async Task<HealthReportEntry> CheckAsync() =>
            (await app.Services.GetRequiredService<HealthCheckService>().CheckHealthAsync()).Entries["pipeline"];
    }

    [Fact]
    public async Task Without_a_worker_the_check_says_what_to_add()
    {
        using var folder = new HostFolder();
        var builder = folder.NewBuilder();
        builder.Services.AddHealthChecks().AddPipeline();
        await using var app = builder.Build();
        var report = await app.Services.GetRequiredService<HealthCheckService>().CheckHealthAsync();
        Assert.Equal(HealthStatus.Unhealthy, report.Status);
        Assert.Contains("AddPipeline", report.Entries["pipeline"].Description, StringComparison.Ordinal);
    }
}
