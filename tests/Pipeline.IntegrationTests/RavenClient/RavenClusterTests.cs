using System.Diagnostics;
using System.Net.Http.Json;
using System.Text.Json;
using ClusterSample;
using Pipeline.TestKit.Services;
using Xunit;
using Xunit.Abstractions;

namespace Pipeline.IntegrationTests.RavenClient;

/// <summary>
/// RavenDB's Node.js client, unchanged, with the addresses of three nodes: it goes on by itself when a leader is killed.
/// No acknowledged write is lost, no read or compare-and-set is stale, and its subscription gets every document.
/// </summary>
public sealed class RavenClusterTests(ITestOutputHelper output) : IDisposable
{
    private const int Kills = 2;
    private static readonly TimeSpan Most = TimeSpan.FromMinutes(3);
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("pipeline-cluster-");
    private readonly HttpClient _http = new() { Timeout = TimeSpan.FromSeconds(5) };

    public void Dispose()
    {
        _http.Dispose();
        _folder.Delete(recursive: true);
    }

    [SkippableTheory]
    // The subscription worker of 5.4 waits for ever when its connection is reset, as a killed process may leave it.
    [InlineData("ravendb", false)]
    [InlineData("ravendb-newest", true)]
    public async Task The_official_clients_go_on_when_leaders_die(string package, bool subscribes)
    {
        var client = RavenClientTests.FindClient(package);
        var settings = new Settings(null, Kills, Pauses: 0, Wipes: 0, Handovers: 0, _folder.FullName);
        var nodes = Enumerable
            .Range(1, 3)
            .Select(i => new NodeProcess(
                $"n{i}",
                new Uri($"http://127.0.0.1:{FreePorts.Find()}"),
                settings,
                topic: "unused"
            ))
            .ToList();
        using var late = new CancellationTokenSource(Most);
        try
        {
            nodes.ForEach(n => n.Start());
            await LeaderAsync(nodes, late.Token);
            using var process = Process.Start(
                new ProcessStartInfo("node", [Path.Combine(AppContext.BaseDirectory, "RavenClient", "cluster.mjs")])
                {
                    RedirectStandardInput = true,
                    RedirectStandardOutput = true,
                    RedirectStandardError = true,
                    Environment =
                    {
                        ["CLIENT"] = client,
                        ["SUBSCRIBES"] = subscribes ? "yes" : "",
                        ["NODES"] = string.Join(',', nodes.Select(n => n.Url.GetLeftPart(UriPartial.Authority))),
                    },
                }
            )!;
            await using var killed = late.Token.Register(() => process.Kill());
            var errors = process.StandardError.ReadToEndAsync(CancellationToken.None);
            Assert.Equal("ready", await process.StandardOutput.ReadLineAsync(late.Token));
            for (var kill = 0; kill < Kills; kill++)
            {
                var leader = await LeaderAsync(nodes, late.Token);
                var written = await CountAsync(leader, late.Token);
                await UntilAsync(async () => await CountAsync(leader, late.Token) >= written + 50, late.Token);
                await leader.KillAsync();
                await LeaderAsync(nodes, late.Token);
                leader.Start();
            }
            await process.StandardInput.WriteLineAsync("stop");
            var text = await process.StandardOutput.ReadLineAsync(late.Token);
            Assert.True(text is not null, await errors);
            output.WriteLine(text);
            await process.WaitForExitAsync(late.Token);
            Check(JsonDocument.Parse(text).RootElement);
        }
        finally
        {
            await Task.WhenAll(nodes.Select(n => n.StopAsync()));
            nodes.ForEach(n => n.Dispose());
        }
    }

    private static void Check(JsonElement result)
    {
        foreach (var empty in (string[])["faults", "missing", "undelivered"])
            Assert.Equal("[]", result.GetProperty(empty).GetRawText());
        Assert.True(result.GetProperty("orders").GetInt32() >= 50 * Kills);
        Assert.True(result.GetProperty("increments").GetInt32() >= 10);
        Assert.True(result.GetProperty("exchanges").GetInt32() >= 10);
        // Writers did meet, and the client did see the leaders die.
        Assert.True(result.GetProperty("refused").GetInt32() > 0);
    }

    /// <summary>The node that leads and answers, once all that run agree.</summary>
    private async Task<NodeProcess> LeaderAsync(List<NodeProcess> nodes, CancellationToken ct)
    {
        NodeProcess? found = null;
        await UntilAsync(
            async () =>
            {
                foreach (var node in nodes.Where(n => n.Runs))
                {
                    var status = await TryGetAsync(node, "/cluster/status", ct);
                    var leader = status
                        ?.GetProperty("nodes")
                        .EnumerateArray()
                        .FirstOrDefault(n => n.GetProperty("role").GetString() == "leader");
                    found = leader is { ValueKind: JsonValueKind.Object } named
                        ? nodes.Find(n => n.Runs && n.Name == named.GetProperty("node").GetString())
                        : null;
                    if (found is not null)
                        return true;
                }
                return false;
            },
            ct
        );
        return found!;
    }

    private async Task<long> CountAsync(NodeProcess node, CancellationToken ct) =>
        (await TryGetAsync(node, "/databases/shop/stats", ct))?.GetProperty("CountOfDocuments").GetInt64() ?? 0;

    private async Task<JsonElement?> TryGetAsync(NodeProcess node, string path, CancellationToken ct)
    {
        try
        {
            return await _http.GetFromJsonAsync<JsonElement>(new Uri(node.Url, path), ct);
        }
        catch (Exception e) when (e is HttpRequestException or TaskCanceledException && !ct.IsCancellationRequested)
        {
            return null;
        }
    }

    private static async Task UntilAsync(Func<Task<bool>> condition, CancellationToken ct)
    {
        while (!await condition())
            await Task.Delay(20, ct);
    }
}
