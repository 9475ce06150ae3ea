using System.Diagnostics;
using System.Net.Http.Json;
using System.Text.Json;
using ClusterSample;
using Pipeline.TestKit.Services;
using Xunit;
using Xunit.Abstractions;

namespace Pipeline.IntegrationTests.RavenClient;

/// <summary>
/// RavenDB's Node.js client, unchanged, while nodes hand over to each other: its changes and its subscription move to
/// the next leader by themselves.
/// </summary>
public sealed class RavenMovesTests(ITestOutputHelper output) : IDisposable
{
    private const int Moves = 3;
    private static readonly TimeSpan Most = TimeSpan.FromMinutes(4);
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("pipeline-moves-");
    private readonly HttpClient _http = new() { Timeout = TimeSpan.FromSeconds(5) };

    public void Dispose()
    {
        _http.Dispose();
        _folder.Delete(recursive: true);
    }

    [SkippableTheory]
    [InlineData("ravendb")]
    [InlineData("ravendb-newest")]
    public async Task Changes_and_subscriptions_of_the_official_clients_follow_the_leader(string package)
    {
        var client = RavenClientTests.FindClient(package);
        var settings = new Settings(null, 0, Pauses: 0, Wipes: 0, Handovers: Moves, _folder.FullName);
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
            foreach (var node in nodes)
                await ReadyAsync(node, late.Token);
            using var process = Process.Start(
                new ProcessStartInfo("node", [Path.Combine(AppContext.BaseDirectory, "RavenClient", "moves.mjs")])
                {
                    RedirectStandardOutput = true,
                    RedirectStandardError = true,
                    Environment =
                    {
                        ["CLIENT"] = client,
                        ["MOVES"] = $"{Moves}",
                        ["NODES"] = string.Join(',', nodes.Select(n => n.Url.GetLeftPart(UriPartial.Authority))),
                    },
                }
            )!;
            await using var killed = late.Token.Register(() => process.Kill());
            var errors = process.StandardError.ReadToEndAsync(CancellationToken.None);
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
        foreach (var empty in (string[])["undelivered", "ended"])
            Assert.Equal("[]", result.GetProperty(empty).GetRawText());
        // Between two terms a node may refuse; the client reports that and tries again.
        Assert.DoesNotContain(
            result.GetProperty("unexpected").EnumerateArray().Select(e => e.GetString()!),
            e => !e.Contains("does not lead its cluster", StringComparison.Ordinal)
        );
        var moves = result.GetProperty("moves");
        Assert.Equal(Moves, moves.GetArrayLength());
        foreach (var move in moves.EnumerateArray())
        {
            Assert.Equal(JsonValueKind.Number, move.GetProperty("changesAfter").ValueKind);
            Assert.Equal(JsonValueKind.Number, move.GetProperty("subscriptionAfter").ValueKind);
        }
    }

    /// <summary>Waits until a node answers, and knows all others.</summary>
    private async Task ReadyAsync(NodeProcess node, CancellationToken ct)
    {
        while (true)
        {
            try
            {
                var status = await _http.GetFromJsonAsync<JsonElement>(new Uri(node.Url, "/cluster/status"), ct);
                if (
                    status.GetProperty("nodes").GetArrayLength() == 3
                    && status.GetProperty("leader").ValueKind == JsonValueKind.String
                )
                {
                    return;
                }
            }
            catch (Exception e) when (e is HttpRequestException or TaskCanceledException && !ct.IsCancellationRequested)
            {
                // It does not answer yet.
            }
            await Task.Delay(100, ct);
        }
    }
}
