using System.Text;
using Pipeline.Documents;
using Pipeline.Hosting;
using Pipeline.TestKit.Files;
using Pipeline.WorkerKit;
using Xunit;

namespace Pipeline.Worker.Tests;

/// <summary>Expiry times in the metadata of documents, enabled in YAML.</summary>
public sealed class ExpirationConfigurationTests : IDisposable
{
    private readonly TestFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public async Task AWorkerDeletesWhatHasExpiredAndTheDatabaseRemembersIt()
    {
        string With(string block) =>
            _folder.Write("pipeline.yaml", $"version: 1\ndatabase: {{ name: shop, path: ./data{block} }}\n");
        var file = With(", expiration: { deleteEvery: 2m, refreshEvery: 30d }");
        await using (var worker = await PipelineWorker.OpenAsync(new WorkerOptions { ConfigurationFile = file }))
        {
            await worker.Database!.PutAsync(
                "tokens/1",
                Encoding.UTF8.GetBytes("""{"@metadata":{"@expires":"2001-01-01T00:00:00Z"}}""")
            );
            Assert.Equal(1, (await worker.Database.Expiration.RunAsync()).Deleted);
        }

        await using (var worker = await PipelineWorker.OpenAsync(new WorkerOptions { ConfigurationFile = With("") }))
        {
            Assert.Equal(
                new ExpirationConfiguration(TimeSpan.FromMinutes(2), TimeSpan.FromDays(30)),
                worker.Database!.Expiration.Configuration
            );
        }

        await using (
            var worker = await PipelineWorker.OpenAsync(
                new WorkerOptions { ConfigurationFile = With(", expiration: {}") }
            )
        )
        {
            Assert.Equal(ExpirationConfiguration.None, worker.Database!.Expiration.Configuration);
        }
    }

    [Theory]
    [InlineData("{ deleteEvery: 0s }", "deleteEvery")]
    [InlineData("{ refreshEvery: 31d }", "refreshEvery")]
    [InlineData(
        "{ deletesEvery: 1m }",
        "unknown key 'deletesEvery' in database.expiration; did you mean 'deleteEvery'?"
    )]
    public async Task FaultsAreFoundByLint(string block, string message)
    {
        var file = _folder.Write(
            "broken.yaml",
            $"version: 1\ndatabase: {{ name: shop, path: ./data, expiration: {block} }}\n"
        );
        var run = await WorkerRun.InvokeAsync("lint", file);
        Assert.Equal(ExitCodes.Usage, run.ExitCode);
        Assert.Contains(message, run.Error + run.Out, StringComparison.Ordinal);
    }
}
