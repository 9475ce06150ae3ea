using System.Net;
using System.Net.Http.Json;
using System.Net.Sockets;
using System.Text.Json;
using Pipeline.TestKit.Logging;
using Pipeline.Worker.Hosting;
using Xunit;

namespace Pipeline.Tests.Worker.Cluster;

/// <summary>Workers in this process that are nodes of a cluster over a log in a folder.</summary>
internal sealed class WorkerCluster : IAsyncDisposable
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(60);
    private readonly TestFolder _folder = new();
    private readonly Dictionary<string, (PipelineWorker Worker, CancellationTokenSource Stop, Task Run)> _running = [];
    private readonly Dictionary<string, string> _files = [];

    /// <summary>The nodes' messages.</summary>
    public CapturedLines Lines { get; } = new();

    public HttpClient Http { get; } = new();

    public TestFolder Folder => _folder;

    public IEnumerable<string> Names => _files.Keys;

    public PipelineWorker this[string name] => _running[name].Worker;

    public bool Runs(string name) => _running.ContainsKey(name);

    /// <summary>Starts nodes n1, n2, ….</summary>
    /// <param name="count">How many.</param>
    /// <param name="more">More YAML; $NODE is the node's name.</param>
    /// <param name="server">What follows the address in the section server.</param>
    /// <param name="scheme">http or https.</param>
    /// <param name="cluster">More of the section cluster.</param>
    public static async Task<WorkerCluster> StartAsync(
        int count,
        string more = "",
        string server = "",
        string scheme = "http",
        string cluster = ""
    )
    {
        var made = new WorkerCluster();
        var ports = FreePorts(count);
        for (var i = 1; i <= count; i++)
        {
            var (name, url) = ($"n{i}", $"{scheme}://127.0.0.1:{ports[i - 1]}");
            made._files[name] = made._folder.Write(
                name + ".yaml",
                $$"""
                version: 1
                database: { name: shop, path: ./{{name}} }
                cluster: { name: test, node: {{name}}, url: "{{url}}", log: { directory: ./log }{{cluster}} }
                server: { url: "{{url}}"{{server}} }
                {{more.Replace("$NODE", name, StringComparison.Ordinal)}}
                """
            );
            await made.StartAsync(name);
        }
        return made;
    }

    public async Task StartAsync(string name)
    {
        var worker = await PipelineWorker.OpenAsync(
            new WorkerOptions
            {
                ConfigurationFile = _files[name],
                Listens = true,
                Loggers = Lines,
            }
        );
        var stop = new CancellationTokenSource();
        _running[name] = (worker, stop, worker.RunAsync(stop.Token));
    }

    /// <summary>Stops a node in order.</summary>
    public async Task StopAsync(string name)
    {
        var (worker, stop, run) = _running[name];
        _running.Remove(name);
        await stop.CancelAsync();
        await run;
        await worker.DisposeAsync();
        stop.Dispose();
    }

    /// <summary>The node whose tasks run, once there is one and all nodes know each other.</summary>
    public async Task<PipelineWorker> LeaderAsync()
    {
        PipelineWorker? found = null;
        await UntilAsync(
            () =>
            {
                found = _running.Values.Select(r => r.Worker).FirstOrDefault(w => w.Cluster!.Leads && w.Acts);
                return found is not null
                    && _running.Values.All(r =>
                        r.Worker.Cluster!.Leader?.Name == found.Cluster!.Self.Name
                        && _running.Keys.All(n => r.Worker.Cluster.Nodes.Any(k => k.Name == n))
                    );
            },
            "no node leads"
        );
        return found!;
    }

    /// <summary>A node that follows.</summary>
    public async Task<PipelineWorker> FollowerAsync()
    {
        var leader = await LeaderAsync();
        return _running.Values.Select(r => r.Worker).First(w => w != leader);
    }

    public static Uri Url(PipelineWorker worker, string path) => new(worker.Cluster!.Self.Url, path);

    public async Task<HttpStatusCode> PutAsync(PipelineWorker at, string id, int number)
    {
        using var answer = await Http.PutAsync(
            Url(at, "/databases/shop/docs?id=" + id),
            JsonContent.Create(
                new Dictionary<string, object>
                {
                    ["Number"] = number,
                    ["@metadata"] = new Dictionary<string, string> { ["@collection"] = "Orders" },
                }
            )
        );
        return answer.StatusCode;
    }

    public async Task<JsonElement> GetAsync(
        PipelineWorker at,
        string path,
        params (string Name, string Value)[] headers
    )
    {
        using var request = new HttpRequestMessage(HttpMethod.Get, Url(at, path));
        foreach (var (name, value) in headers)
            request.Headers.Add(name, value);
        using var answer = await Http.SendAsync(request);
        Assert.Equal(HttpStatusCode.OK, answer.StatusCode);
        return await answer.Content.ReadFromJsonAsync<JsonElement>();
    }

    /// <summary>Waits until something is so.</summary>
    public async Task UntilAsync(Func<bool> condition, string otherwise)
    {
        using var late = new CancellationTokenSource(Patience);
        while (!condition())
        {
            Assert.False(late.IsCancellationRequested, $"{otherwise}\n{string.Join('\n', Lines.Lines.TakeLast(30))}");
            await Task.Delay(10, CancellationToken.None);
        }
    }

    public async ValueTask DisposeAsync()
    {
        foreach (var name in _running.Keys.ToList())
            await StopAsync(name);
        Http.Dispose();
        _folder.Dispose();
    }

    private static List<int> FreePorts(int count)
    {
        var listeners = Enumerable.Range(0, count).Select(_ => new TcpListener(IPAddress.Loopback, 0)).ToList();
        listeners.ForEach(l => l.Start());
        var ports = listeners.Select(l => ((IPEndPoint)l.LocalEndpoint).Port).ToList();
        listeners.ForEach(l => l.Stop());
        return ports;
    }
}
