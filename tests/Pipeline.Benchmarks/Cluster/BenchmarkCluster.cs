using System.Net.Http.Json;
using System.Text.Json;

namespace Pipeline.Benchmarks.Cluster;

/// <summary>Some nodes over one log.</summary>
internal sealed class BenchmarkCluster : IAsyncDisposable
{
    private static readonly TimeSpan MaxWait = TimeSpan.FromMinutes(1);
    private readonly DirectoryInfo _folder;
    private readonly List<BenchmarkNode> _nodes = [];

    private BenchmarkCluster(DirectoryInfo folder) => _folder = folder;

    /// <summary>The nodes' addresses, the leader's first.</summary>
    public IReadOnlyList<Uri> Urls { get; private set; } = [];

    /// <summary>The topic of the log, if it is one.</summary>
    public string Topic => _folder.Name;

    /// <summary>Asks the nodes.</summary>
    public HttpClient Http { get; } = new(new SocketsHttpHandler { UseProxy = false });

    /// <summary>Starts nodes, and waits until one leads and all follow it.</summary>
    /// <param name="count">How many nodes.</param>
    /// <param name="kafka">The brokers; null for a log in a folder.</param>
    public static async Task<BenchmarkCluster> StartAsync(int count, string? kafka)
    {
        var folder = Directory.CreateTempSubdirectory("pipeline-bench-");
        var cluster = new BenchmarkCluster(folder);
        var log = kafka is null
            ? $$"""{ directory: "{{Path.Combine(folder.FullName, "log")}}" }"""
            : $$"""{ kafka: { bootstrapServers: "{{kafka}}", topic: "{{folder.Name}}", allowFewerCopies: true } }""";
        for (var i = 1; i <= count; i++)
            cluster._nodes.Add(await BenchmarkNode.StartAsync(Path.Combine(folder.FullName, "n" + i), "n" + i, log));
        await cluster.FindLeaderAsync();
        return cluster;
    }

    public async ValueTask DisposeAsync()
    {
        foreach (var node in _nodes)
            await node.DisposeAsync();
        Http.Dispose();
        _folder.Delete(recursive: true);
    }

    private async Task FindLeaderAsync()
    {
        var clock = new Clock();
        while (clock.Seconds < MaxWait.TotalSeconds)
        {
            if (await TryStatusAsync() is { } nodes && nodes.Count(n => n.Role == "leader") == 1)
            {
                var followers = nodes
                    .Where(n => n is { Role: "follower", IsCaughtUp: true })
                    .Select(n => n.Url)
                    .ToList();
                if (followers.Count == _nodes.Count - 1)
                {
                    Urls = [nodes.First(n => n.Role == "leader").Url, .. followers];
                    return;
                }
            }
            await Task.Delay(50);
        }
        throw new BenchmarkException("no node leads");
    }

    private async Task<List<(Uri Url, string? Role, bool IsCaughtUp)>?> TryStatusAsync()
    {
        try
        {
            var status = await Http.GetFromJsonAsync<JsonElement>(new Uri(_nodes[0].Url, "/cluster/status"));
            return
            [
                .. status
                    .GetProperty("nodes")
                    .EnumerateArray()
                    .Select(n =>
                        (
                            new Uri(n.GetProperty("url").GetString()!),
                            n.GetProperty("role").GetString(),
                            n.GetProperty("isCaughtUp").GetBoolean()
                        )
                    ),
            ];
        }
        catch (HttpRequestException)
        {
            // It does not listen yet.
            return null;
        }
    }
}
