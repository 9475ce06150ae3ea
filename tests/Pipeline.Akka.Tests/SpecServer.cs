using System.Diagnostics;
using Pipeline.TestKit.Services;
using Xunit;

namespace Pipeline.Akka.Tests;

/// <summary>
/// A worker, <c>pipeline run</c> in a separate process, that runs as long as the tests of <see cref="Collection"/>.
/// </summary>
[CollectionDefinition(Collection)]
public sealed class SpecServer : ICollectionFixture<SpecServer>, IAsyncLifetime
{
    /// <summary>The tests that use it.</summary>
    public const string Collection = "with a worker";

    private static readonly Lazy<ServiceProcess> Started = new(Start);
    private static readonly HttpClient Http = new();
    private static int _made;

    internal static Uri Url => new(Started.Value.Endpoint);

    /// <summary>A new database of the worker.</summary>
    internal static string MakeDatabase()
    {
        var name = $"spec-{Interlocked.Increment(ref _made)}";
        using var content = new StringContent($$"""{"DatabaseName":"{{name}}"}""");
        using var answer = Http.PutAsync(new Uri(Url, $"/admin/databases?name={name}"), content)
            .GetAwaiter()
            .GetResult();
        answer.EnsureSuccessStatusCode();
        return name;
    }

    /// <inheritdoc/>
    public Task InitializeAsync() => Task.CompletedTask;

    /// <inheritdoc/>
    public async Task DisposeAsync()
    {
        if (Started.IsValueCreated)
            await Started.Value.DisposeAsync();
    }

    private static ServiceProcess Start()
    {
        var folder = ServiceProcess.NewFolder("worker");
        string url = $"http://127.0.0.1:{FreePorts.Find()}",
            file = Path.Combine(folder, "pipeline.yaml");
        File.WriteAllText(
            file,
            $"version: 1\ndatabase: {{ name: worker, path: ./data }}\nserver: {{ url: \"{url}\" }}\n"
        );
        var worker = new ServiceProcess(
            url,
            "the worker",
            new Uri(url).Port,
            folder,
            () =>
                new ProcessStartInfo(
                    "dotnet",
                    [Path.Combine(AppContext.BaseDirectory, "pipeline.dll"), "run", "--config", file]
                )
        )
        {
            IsReady = async () => (await Http.GetAsync(new Uri($"{url}/health/ready"))).IsSuccessStatusCode,
        };
        worker.StartAsync().GetAwaiter().GetResult();
        return worker;
    }
}
