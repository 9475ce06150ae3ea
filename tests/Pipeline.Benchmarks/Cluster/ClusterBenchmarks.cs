using System.Diagnostics;
using System.Globalization;
using System.Net.Http.Json;
using System.Text;
using System.Text.Json;
using Pipeline.Benchmarks.Server;

namespace Pipeline.Benchmarks.Cluster;

/// <summary>
/// Nodes in separate processes over one log: durable writes, reads from each node's own copy, and the time from an
/// acknowledged write until a follower shows it. Arguments: `--nodes N,…` (default 1,3), `--seconds N` (default 5),
/// `--connections N` (default 64), `--kafka HOST:PORT` (default: a log in a folder). With Kafka, also the client library
/// alone and the log alone, one record at a time.
/// </summary>
/// <remarks>All nodes and the clients share the machine, so three nodes do three times the work of one.</remarks>
public static class ClusterBenchmarks
{
    private const int LagSamples = 500;

    public static async Task<int> RunAsync(string[] arguments)
    {
        if (arguments is ["serve", var configuration])
            return await BenchmarkNode.ServeAsync(configuration);
        var (seconds, connections) = (5, 64);
        int[] sizes = [1, 3];
        string? kafka = null;
        for (var i = 0; i < arguments.Length; i += 2)
        {
            var value = i + 1 < arguments.Length ? arguments[i + 1] : "";
            switch (arguments[i])
            {
                case "--nodes":
                    sizes = [.. value.Split(',').Select(n => int.Parse(n, CultureInfo.InvariantCulture))];
                    break;
                case "--seconds":
                    seconds = int.Parse(value, CultureInfo.InvariantCulture);
                    break;
                case "--connections":
                    connections = int.Parse(value, CultureInfo.InvariantCulture);
                    break;
                case "--kafka":
                    kafka = value;
                    break;
                default:
                    throw new BenchmarkException(
                        $"'{arguments[i]}' is not an argument; --nodes N,N, --seconds N, --connections N, --kafka HOST:PORT"
                    );
            }
        }

        var time = TimeSpan.FromSeconds(seconds);
        foreach (var size in sizes)
        {
            await using var cluster = await BenchmarkCluster.StartAsync(size, kafka);
            var peer = $"nodes-{size}";
            await RequestLoad.FillAsync(cluster.Urls[0]);
            await LoadAsync("CL-write-1", peer, [cluster.Urls[0]], 1, time, RequestLoad.Put);
            if (kafka is not null)
                await BareLog.MeasureAsync(kafka, cluster.Topic, time);
            await LoadAsync("CL-write", peer, [cluster.Urls[0]], connections, time, RequestLoad.Put);
            await LoadAsync("CL-read", peer, cluster.Urls, connections, time, GetHere);
            if (size > 1)
                await FollowAsync(cluster, peer, connections);
        }
        return 0;
    }

    private static byte[] GetHere(int number) =>
        Encoding.ASCII.GetBytes(
            $"GET /databases/db/docs?id=users/{number % ServerBenchmarks.Documents} HTTP/1.1\r\nHost: 127.0.0.1\r\nPipeline-Read: follower\r\n\r\n"
        );

    private static async Task LoadAsync(
        string workload,
        string peer,
        IReadOnlyList<Uri> urls,
        int connections,
        TimeSpan time,
        Func<int, byte[]> request
    )
    {
        await RequestLoad.LoadAsync(urls, connections, TimeSpan.FromSeconds(2), request);
        var (times, took) = await RequestLoad.LoadAsync(urls, connections, time, request);
        Report.Requests(workload, $"{peer}-{connections}", times, took);
    }

    /// <summary>
    /// While clients write, writes more documents one after the other, and waits at a follower for each one's position.
    /// </summary>
    private static async Task FollowAsync(BenchmarkCluster cluster, string peer, int connections)
    {
        var load = RequestLoad.LoadAsync([cluster.Urls[0]], connections, TimeSpan.FromSeconds(10), RequestLoad.Put);
        var clock = new Clock();
        List<double> times = [];
        while (times.Count < LagSamples && !load.IsCompleted)
        {
            using var written = await cluster.Http.PutAsync(
                new Uri(cluster.Urls[0], "/databases/db/docs?id=lag/1"),
                JsonContent.Create(new Dictionary<string, object> { ["Number"] = times.Count })
            );
            var answer = await written.EnsureSuccessStatusCode().Content.ReadFromJsonAsync<JsonElement>();
            var since = Stopwatch.GetTimestamp();
            using var request = new HttpRequestMessage(
                HttpMethod.Get,
                new Uri(cluster.Urls[1], "/databases/db/docs?id=lag/1")
            );
            request.Headers.Add("Pipeline-Read", "follower");
            request.Headers.Add("Pipeline-Wait-For-Position", PositionOf(answer));
            using var read = await cluster.Http.SendAsync(request);
            read.EnsureSuccessStatusCode();
            times.Add(Stopwatch.GetElapsedTime(since).TotalMicroseconds);
        }
        Report.Requests("CL-lag", $"{peer}-{connections}", [.. times], clock.Seconds);
        await load;
    }

    /// <summary>The position in the change vector that a write is answered with, such as <c>A:4711-…</c>.</summary>
    private static string PositionOf(JsonElement written)
    {
        var vector = written.GetProperty("ChangeVector").GetString()!;
        var from = vector.IndexOf(':', StringComparison.Ordinal) + 1;
        return vector[from..vector.IndexOf('-', from)];
    }
}
