using System.Net.Http.Json;
using System.Text.Json;
using Pipeline.Testcontainers;
using Xunit;

namespace Pipeline.IntegrationTests.Containers;

/// <summary>
/// The Testcontainers module against a Docker engine. PIPELINE_TEST_WORKER_IMAGE names the worker's image,
/// <c>pipeline</c> unless set.
/// </summary>
public sealed class PipelineContainerTests
{
    [SkippableFact]
    public async Task A_worker_in_a_container_is_ready_when_it_has_started()
    {
        Skip.If(
            string.IsNullOrEmpty(Environment.GetEnvironmentVariable("DOCKER_HOST"))
                && !File.Exists("/var/run/docker.sock"),
            "no Docker engine (neither DOCKER_HOST nor /var/run/docker.sock). To run these tests: start Docker"
        );
        var image = Environment.GetEnvironmentVariable("PIPELINE_TEST_WORKER_IMAGE") is { Length: > 0 } named
            ? named
            : "pipeline";
        await using var container = new PipelineBuilder(image).WithDatabase("shop").Build();
        await container.StartAsync();
        using var http = new HttpClient { BaseAddress = new Uri(container.GetConnectionString()) };
        Assert.Equal("shop", container.Database);
        (
            await http.PutAsync("/databases/shop/docs?id=users/1", JsonContent.Create(new { Name = "Ann" }))
        ).EnsureSuccessStatusCode();
        var answer = await http.GetFromJsonAsync<JsonElement>("/databases/shop/docs?id=users/1");
        Assert.Equal("Ann", answer.GetProperty("Results")[0].GetProperty("name").GetString());
    }
}
