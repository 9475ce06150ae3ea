using System.Diagnostics;
using Microsoft.Extensions.Logging;
using Pipeline.Hosting;
using Pipeline.Runner.Logging;
using Pipeline.TestKit.Services;

namespace Pipeline.Benchmarks.Cluster;

/// <summary>A node of a cluster in a separate process.</summary>
internal sealed class BenchmarkNode : IAsyncDisposable
{
    private readonly Process _process;

    private BenchmarkNode(Process process, Uri url) => (_process, Url) = (process, url);

    /// <summary>Where it answers.</summary>
    public Uri Url { get; }

    /// <summary>The node's side: runs a worker until its input ends.</summary>
    public static async Task<int> ServeAsync(string configuration)
    {
        using var stop = new CancellationTokenSource();
        await using var worker = await PipelineWorker.OpenAsync(
            new WorkerOptions
            {
                ConfigurationFile = configuration,
                Listens = true,
                Loggers = WorkerLogging.To(Console.Error, LogLevel.Error),
            },
            stop.Token
        );
        var running = worker.RunAsync(stop.Token);
        while (await Console.In.ReadLineAsync(CancellationToken.None) is not null) { }
        await stop.CancelAsync();
        await running;
        return 0;
    }

    /// <summary>Starts a node that keeps its database and configuration in a folder.</summary>
    public static async Task<BenchmarkNode> StartAsync(string folder, string name, string log)
    {
        Directory.CreateDirectory(folder);
        var url = new Uri($"http://127.0.0.1:{FreePorts.Find()}");
        var configuration = Path.Combine(folder, "pipeline.yaml");
        await File.WriteAllTextAsync(
            configuration,
            $$"""
            version: 1
            database: { name: db, path: ./data }
            cluster:
              name: bench
              node: {{name}}
              url: "{{url.GetLeftPart(UriPartial.Authority)}}"
              log: {{log}}
            server: { url: "{{url.GetLeftPart(UriPartial.Authority)}}" }
            """
        );
        return new BenchmarkNode(OwnProcess.Start(readsOutput: false, "cluster", "serve", configuration), url);
    }

    public async ValueTask DisposeAsync()
    {
        _process.StandardInput.Close();
        await _process.WaitForExitAsync();
        _process.Dispose();
    }
}
