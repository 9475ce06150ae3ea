using Akka.Hosting;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;
using Pipeline.Akka.Persistence.Hosting;
using Xunit;

namespace Pipeline.Akka.Tests.Samples;

/// <summary>What docs/guides/actors.md shows.</summary>
public sealed class ActorsGuideTests
{
    [Fact]
    public async Task A_host_with_actors_that_persist_is_healthy()
    {
        var builder = Host.CreateApplicationBuilder();
        var folder = TestFolders.Make();
        // begin-snippet: actors
        builder.Services.AddAkka(
            "shop",
            akka => akka.WithPipelinePersistence(new PipelinePersistenceOptions { Path = folder })
        );
        builder.Services.AddHealthChecks().AddPipelinePersistence();
        // end-snippet
        using var host = builder.Build();
        await host.StartAsync();
        var report = await host.Services.GetRequiredService<HealthCheckService>().CheckHealthAsync();
        Assert.Equal(HealthStatus.Healthy, report.Status);
        await host.StopAsync();
    }
}
