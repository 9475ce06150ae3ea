using System.Diagnostics;
using System.Text;

namespace Pipeline.Benchmarks.Server;

/// <summary>Requests one after the other on many connections.</summary>
internal static class RequestLoad
{
    /// <summary>A document of about 1 KiB.</summary>
    public static string Document(int number) =>
        $$"""{"Name":"user {{number}}","Age":{{number % 90}},"Text":"{{new string((char)('a' + (number % 26)), 900)}}","@metadata":{"@collection":"Users"} }""";

    public static byte[] Get(int number) =>
        Encoding.ASCII.GetBytes(
            $"GET /databases/db/docs?id=users/{number % ServerBenchmarks.Documents} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
        );

    public static byte[] Put(int number) =>
        Post(
            "/databases/db/bulk_docs",
            $$"""{"Commands":[{"Type":"PUT","Id":"users/{{number % ServerBenchmarks.Documents}}","ChangeVector":null,"Document":{{Document(number)}} }]}"""
        );

    public static byte[] Post(string path, string body) =>
        Encoding.ASCII.GetBytes(
            $"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: {body.Length}\r\n\r\n{body}"
        );

    public static async Task FillAsync(Uri server)
    {
        using var connection = await HttpConnection.OpenAsync(server);
        for (var from = 0; from < ServerBenchmarks.Documents; from += 1_000)
        {
            var commands = string.Join(
                ',',
                Enumerable
                    .Range(from, 1_000)
                    .Select(i => $$"""{"Type":"PUT","Id":"users/{{i}}","Document":{{Document(i)}} }""")
            );
            if (await connection.AskAsync(Post("/databases/db/bulk_docs", $$"""{"Commands":[{{commands}}]}""")) != 201)
                throw new BenchmarkException("the documents could not be stored");
        }
    }

    public static async Task RunAsync(
        string workload,
        ServedProcess served,
        int connections,
        TimeSpan time,
        Func<int, byte[]> request
    )
    {
        await LoadAsync([served.Url], connections, TimeSpan.FromSeconds(2), request);
        var before = await served.LookAsync();
        var (times, seconds) = await LoadAsync([served.Url], connections, time, request);
        var after = await served.LookAsync();
        Report.Requests(workload, $"server-{connections}", times, seconds);
        Report.Figure(
            workload,
            $"server-{connections}",
            "cpu",
            (after.CpuMilliseconds - before.CpuMilliseconds) * 1e3 / times.Length,
            "us"
        );
        Report.Figure(
            workload,
            $"server-{connections}",
            "allocated",
            (double)(after.Allocated - before.Allocated) / times.Length,
            "bytes"
        );
        Report.Figure(workload, $"server-{connections}", "memory", after.Memory / 1048576.0, "MiB");
    }

    /// <summary>Sends requests on connections that are spread over the servers.</summary>
    public static async Task<(double[] Microseconds, double Seconds)> LoadAsync(
        IReadOnlyList<Uri> servers,
        int connections,
        TimeSpan time,
        Func<int, byte[]> request
    )
    {
        var clock = new Clock();
        var ends = Stopwatch.GetTimestamp() + (long)(time.TotalSeconds * Stopwatch.Frequency);
        var all = await Task.WhenAll(
            Enumerable
                .Range(0, connections)
                .Select(c =>
                    Task.Run(async () =>
                    {
                        using var connection = await HttpConnection.OpenAsync(servers[c % servers.Count]);
                        var random = new Random(c);
                        List<double> times = [];
                        while (Stopwatch.GetTimestamp() < ends)
                        {
                            var bytes = request(random.Next(int.MaxValue));
                            var since = Stopwatch.GetTimestamp();
                            if (await connection.AskAsync(bytes) is not (200 or 201))
                                throw new BenchmarkException("a request failed");
                            times.Add(Stopwatch.GetElapsedTime(since).TotalMicroseconds);
                        }
                        return times;
                    })
                )
        );
        return ([.. all.SelectMany(t => t)], clock.Seconds);
    }
}
