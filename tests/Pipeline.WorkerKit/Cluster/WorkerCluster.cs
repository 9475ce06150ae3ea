using System.Net;
using System.Net.Http.Json;
using System.Text.Json;
using Pipeline.Hosting;
using Pipeline.TestKit.Files;
using Pipeline.TestKit.Logging;
using Pipeline.TestKit.Services;
using Xunit;

namespace Pipeline.WorkerKit.Cluster;

/// <summary>Workers in this process that are nodes of a cluster, over a log in a folder if no other is given.</summary>
public sealed class WorkerCluster : IAsyncDisposable
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(60);
    private readonly TestFolder _folder = new();
    private readonly Dictionary<string, (PipelineWorker Worker, CancellationTokenSource Stop, Task Run)> _running = [];
    private readonly Dictionary<string, string> _files = [];
    private readonly Dictionary<string, CuttingProxy> _proxies = [];
    private Func<Task<Pipeline.Cluster.ISharedLog>>? _openLog;
    private Func<string, TimeProvider> _clockOf = _ => TimeProvider.System;

    /// <summary>The nodes' messages.</summary>
    public CapturedLines Lines { get; } = new();

    /// <summary>The nodes' last messages about themselves.</summary>
    private string Told =>
        string.Join(
            '\n',
            Lines
                .Lines.Where(l => l.Contains("[Node, ", StringComparison.Ordinal))
                .Select(l => l.Split(" | ")[0])
                .TakeLast(40)
        );

    /// <summary>
    /// Opens a connection for each request: a proxy cuts a connection after a number of bytes, whatever requests they
    /// belong to.
    /// </summary>
    public HttpClient Http { get; } = new(new SocketsHttpHandler { PooledConnectionLifetime = TimeSpan.Zero });

    public TestFolder Folder => _folder;

    public IEnumerable<string> Names => _files.Keys;

    public PipelineWorker this[string name] => _running[name].Worker;

    /// <summary>The proxies before the nodes, by name.</summary>
    public IReadOnlyDictionary<string, CuttingProxy> Proxies => _proxies;

    public bool Runs(string name) => _running.ContainsKey(name);

    /// <summary>Starts nodes n1, n2, ….</summary>
    /// <param name="count">How many.</param>
    /// <param name="more">More YAML; $NODE is the node's name.</param>
    /// <param name="server">What follows the address in the section server.</param>
    /// <param name="scheme">http or https.</param>
    /// <param name="cluster">More of the section cluster.</param>
    /// <param name="log">More of the section cluster.log.</param>
    /// <param name="database">More of the section database; $NODE is the node's name.</param>
    /// <param name="proxied">Whether others reach each node through a proxy.</param>
    /// <param name="place">Where a node finds the log, as YAML of cluster.log; null for the folder.</param>
    /// <param name="openLog">Opens that log; null for the folder.</param>
    /// <param name="clockOf">The clock of each node.</param>
    /// <param name="before">Runs when the nodes' files are there, before the first node starts.</param>
    public static async Task<WorkerCluster> StartAsync(
        int count,
        string more = "",
        string server = "",
        string scheme = "http",
        string cluster = "",
        string log = "",
        string database = "",
        bool proxied = false,
        Func<string, string>? place = null,
        Func<Task<Pipeline.Cluster.ISharedLog>>? openLog = null,
        Func<string, TimeProvider>? clockOf = null,
        Func<WorkerCluster, Task>? before = null
    )
    {
        var made = new WorkerCluster();
        (made._openLog, made._clockOf) = (openLog, clockOf ?? made._clockOf);
        var ports = Enumerable.Range(0, count).Select(_ => FreePorts.Find()).ToList();
        for (var i = 1; i <= count; i++)
        {
            var (name, own) = ($"n{i}", $"{scheme}://127.0.0.1:{ports[i - 1]}");
            var proxy = proxied ? made._proxies[name] = new CuttingProxy(ports[i - 1]) : null;
            var url = proxy is null ? own : $"{scheme}://127.0.0.1:{proxy.Port}";
            made._files[name] = made._folder.Write(
                name + ".yaml",
                $$"""
                version: 1
                database: { name: shop, path: ./{{name}}{{database.Replace("$NODE", name, StringComparison.Ordinal)}} }
                cluster: { name: test, node: {{name}}, url: "{{url}}", log: { {{place?.Invoke(name)
                    ?? "directory: ./log"}}{{log}} }{{cluster}} }
                server: { url: "{{own}}"{{server}} }
                {{more.Replace("$NODE", name, StringComparison.Ordinal)}}
                """
            );
        }
        if (before is not null)
            await before(made);
        foreach (var name in made.Names)
            await made.StartAsync(name);
        return made;
    }

    /// <summary>The newest format of the log that a node knows from its next start on, by its name.</summary>
    public Dictionary<string, int> Formats { get; } = [];

    public async Task StartAsync(string name)
    {
        var worker = await PipelineWorker.OpenAsync(
            new WorkerOptions
            {
                ConfigurationFile = _files[name],
                Listens = true,
                Loggers = Lines,
                Time = _clockOf(name),
                LogFormat = Formats.GetValueOrDefault(name),
            }
        );
        var stop = new CancellationTokenSource();
        _running[name] = (worker, stop, worker.RunAsync(stop.Token));
    }

    /// <summary>The configuration of a node.</summary>
    public string FileOf(string name) => _files[name];

    /// <summary>Changes a text in the configurations of all nodes, which take it when they start.</summary>
    public void Change(string text, string to)
    {
        foreach (var file in _files.Values)
            File.WriteAllText(file, File.ReadAllText(file).Replace(text, to, StringComparison.Ordinal));
    }

    /// <summary>Waits until a node must be opened anew, and opens it.</summary>
    public async Task StartAgainAsync(string name)
    {
        var (worker, stop, run) = _running[name];
        await Assert.ThrowsAsync<NodeRestartException>(() => run).WaitAsync(Patience);
        _running.Remove(name);
        await worker.DisposeAsync();
        stop.Dispose();
        await StartAsync(name).WaitAsync(Patience);
    }

    /// <summary>The folder of a node's database.</summary>
    public string FolderOf(string name) => _folder[name];

    /// <summary>Writes documents, and waits until the log has given up its beginning.</summary>
    /// <param name="from">How many were written before.</param>
    /// <param name="folder">The folder of the log.</param>
    /// <returns>How many documents were written.</returns>
    public async Task<int> WriteUntilTrimmedAsync(int from = 0, string folder = "log")
    {
        var leader = await LeaderAsync();
        var first = await LogFirstAsync(folder);
        using var late = new CancellationTokenSource(Patience);
        while (await LogFirstAsync(folder) == first)
        {
            Assert.False(late.IsCancellationRequested, Told);
            for (var i = 0; i < 20; i++)
                Assert.Equal(HttpStatusCode.Created, await PutAsync(leader, $"orders/{++from}", from));
            foreach (var (worker, _, _) in _running.Values)
                worker.Database.Storage.Flush();
        }
        return from;
    }

    /// <summary>The first place that the log keeps.</summary>
    public async Task<long> LogFirstAsync(string folder = "log") => (await LogBoundsAsync(folder)).First;

    /// <summary>The places that the log keeps.</summary>
    public async Task<Pipeline.Cluster.LogBounds> LogBoundsAsync(string folder = "log")
    {
        await using var log = _openLog is null
            ? await Pipeline.Cluster.DirectoryLog.OpenAsync(_folder[folder])
            : await _openLog();
        return await log.GetBoundsAsync();
    }

    /// <summary>Compares the stores of all nodes page by page.</summary>
    public async Task VerifyAsync()
    {
        using var answer = await Http.PostAsync(Url(await LeaderAsync(), "/cluster/verify"), null);
        var text = await answer.Content.ReadAsStringAsync();
        Assert.Equal(HttpStatusCode.OK, answer.StatusCode);
        using var json = JsonDocument.Parse(text);
        Assert.True(json.RootElement.GetProperty("areEqual").GetBoolean(), text);
        Assert.Equal(_running.Count, json.RootElement.GetProperty("nodes").GetArrayLength());
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

    /// <summary>Ends a node without a handover, as its death does for the others.</summary>
    public async Task KillAsync(string name)
    {
        var (worker, stop, run) = _running[name];
        _running.Remove(name);
        await worker.DisposeAsync();
        await stop.CancelAsync();
        await run.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        stop.Dispose();
    }

    /// <summary>
    /// Has a node lead, and waits until its tasks run. It is asked again where another node was faster to claim.
    /// </summary>
    public async Task<PipelineWorker> HandOverAsync(string name)
    {
        using var late = new CancellationTokenSource(Patience);
        while (true)
        {
            var leader = await LeaderAsync();
            if (leader.Cluster!.Self.Name == name)
                return leader;
            using var answer = await Http.PostAsync(Url(leader, "/cluster/handover?to=" + name), null);
            Assert.Equal(HttpStatusCode.OK, answer.StatusCode);
            Assert.False(late.IsCancellationRequested, $"{name} does not lead\n{Told}");
        }
    }

    /// <summary>The node whose tasks run, once there is one and all nodes know each other.</summary>
    /// <param name="exceptFor">A node that nobody needs to know.</param>
    public async Task<PipelineWorker> LeaderAsync(string? exceptFor = null)
    {
        PipelineWorker? found = null;
        await UntilAsync(
            () =>
            {
                found = _running.Values.Select(r => r.Worker).FirstOrDefault(w => w.Cluster!.Leads && w.Acts);
                return found is not null
                    && _running.Values.All(r =>
                        r.Worker.Cluster!.Leader?.Name == found.Cluster!.Self.Name
                        && _running.Keys.All(n => n == exceptFor || r.Worker.Cluster.Nodes.Any(k => k.Name == n))
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
            Assert.False(late.IsCancellationRequested, $"{otherwise}\n{Told}");
            await Task.Delay(10, CancellationToken.None);
        }
    }

    public async ValueTask DisposeAsync()
    {
        foreach (var name in _running.Keys.ToList())
            await StopAsync(name);
        Http.Dispose();
        foreach (var proxy in _proxies.Values)
            await proxy.DisposeAsync();
        _folder.Dispose();
    }
}
