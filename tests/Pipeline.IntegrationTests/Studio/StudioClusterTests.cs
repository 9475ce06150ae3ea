using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;
using Pipeline.WorkerKit.Cluster;
using Xunit;

namespace Pipeline.IntegrationTests.Studio;

/// <summary>Studio's page of a cluster: three workers in this process over a log in a folder.</summary>
public sealed class StudioClusterTests
{
    private const string Page = """[["cluster", "#/cluster", ".chart .values span"]]""";

    [SkippableFact]
    public Task The_nodes_of_a_cluster_are_shown_handed_over_verified_and_removed_in_a_browser() =>
        RunAsync("cluster.mjs", 10);

    [SkippableFact]
    public Task The_page_of_the_cluster_is_accessible_and_fits_the_window() => RunAsync("audit.mjs", 6);

    private static async Task RunAsync(string suite, int tests)
    {
        var variables = StudioSuite.FindVariables();
        await using var cluster = await WorkerCluster.StartAsync(3);
        var next = (await cluster.FollowerAsync()).Cluster!.Self.Name;
        await (await cluster.LeaderAsync()).Cluster!.HandOverAsync(next, CancellationToken.None);
        var follower = await cluster.FollowerAsync();
        await using var control = await ControlAsync(cluster);
        for (var i = 1; i <= 20; i++)
            await cluster.PutAsync(follower, $"orders/{i}", i);
        variables["CONTROL"] = control.Urls.First();
        variables["PAGES"] = Page;
        await StudioSuite.RunAsync(
            suite,
            tests,
            follower.Cluster!.Self.Url.GetLeftPart(UriPartial.Authority),
            variables
        );
    }

    /// <summary>Stops and starts nodes for the browser's tests.</summary>
    private static async Task<WebApplication> ControlAsync(WorkerCluster cluster)
    {
        var builder = WebApplication.CreateSlimBuilder();
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        builder.Logging.ClearProviders();
        var app = builder.Build();
        app.MapPost(
            "/{action}/{node}",
            async (string action, string node) =>
            {
                await (action == "stop" ? cluster.StopAsync(node) : cluster.StartAsync(node));
                return Results.Ok();
            }
        );
        await app.StartAsync();
        return app;
    }
}
