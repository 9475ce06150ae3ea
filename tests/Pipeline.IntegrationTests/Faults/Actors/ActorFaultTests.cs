using System.Diagnostics;
using System.Text.Json;
using Pipeline.TestKit;
using Pipeline.TestKit.Files;
using Xunit;
using Xunit.Abstractions;

namespace Pipeline.IntegrationTests.Faults.Actors;

/// <summary>
/// Entities of three workers over Kafka, while clients of another process send to 50 of them and the leader is killed,
/// paused, and cut off from the other nodes' actors. PIPELINE_ACTOR_FAULTS sets how often each of these happens.
/// </summary>
[Collection(BrokerOutages.Name)]
public sealed class ActorFaultTests(Services services, ITestOutputHelper output)
{
    private static readonly TimeSpan MaxStart = TimeSpan.FromSeconds(90);
    private static readonly TimeSpan MaxGone = TimeSpan.FromSeconds(60);
    private static readonly TimeSpan Pause = TimeSpan.FromSeconds(20);
    private static readonly string[] Kinds = ["killed", "paused for 20 s", "cut off for 20 s"];

    private static string Folder { get; } = Path.Combine(RepositoryTree.Root, "artifacts", "faults", "actors");

    [SkippableFact]
    public async Task Entities_lose_no_event_and_never_run_twice()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "signals and /proc are needed, which Linux has");
        var rounds = RunSetting.Read("PIPELINE_ACTOR_FAULTS", 0);
        Skip.If(rounds == 0, "takes minutes; PIPELINE_ACTOR_FAULTS=10 kills, pauses and cuts ten leaders each");
        var broker = await services.Kafka.UseAsync();
        if (Directory.Exists(Folder))
            Directory.Delete(Folder, recursive: true);
        Directory.CreateDirectory(Folder);
        await using var nodes = new TallyNodes(
            Folder,
            $"kafka: {{ bootstrapServers: \"{broker.Endpoint}\", topic: {Sinks.NewName("tallies")}, allowFewerCopies: true }}"
        );
        await WaitUntilAllHaveJoinedAsync(nodes);
        using var clients = new TallyClients(nodes.Doors);
        using var stop = new CancellationTokenSource();
        var load = clients.RunAsync(stop.Token);
        Assert.NotNull(await clients.WaitForAllAsync(Stopwatch.GetTimestamp(), MaxGone));
        for (var kind = 0; kind < Kinds.Length; kind++)
        {
            var gone = new List<TimeSpan>();
            for (var round = rounds; round > 0; round--)
                gone.AddRange(await DisturbAsync(nodes, clients, kind));
            gone.Sort();
            Tell(
                $"{Kinds[kind]}: p50 {gone[gone.Count / 2].TotalSeconds:0.0} s, p99 {gone[gone.Count * 99 / 100].TotalSeconds:0.0} s, max {gone[^1].TotalSeconds:0.0} s"
            );
        }
        await stop.CancelAsync();
        await load;
        var events = await nodes.ReadEventsAsync(await WaitForLeaderAsync(nodes));
        Tell($"{clients.Answers.Count:N0} requests were answered; there are {events.Count:N0} events");
        var faults = TallyChecker.Check(clients.Answers, events);
        Assert.True(faults.Count == 0, $"{faults.Count} faults, in {Folder}:\n{string.Join('\n', faults.Take(20))}");
    }

    private async Task<IReadOnlyList<TimeSpan>> DisturbAsync(TallyNodes nodes, TallyClients clients, int kind)
    {
        var leader = await WaitForLeaderAsync(nodes);
        var began = Stopwatch.GetTimestamp();
        Tell($"n{leader + 1} is {Kinds[kind]}");
        var over = Task.CompletedTask;
        switch (kind)
        {
            case 0:
                await nodes.Nodes[leader].KillAsync();
                break;
            case 1:
                nodes.Nodes[leader].Pause();
                over = Task.Delay(Pause);
                break;
            default:
                nodes.Cut(leader);
                over = Task.Delay(Pause);
                break;
        }
        var gone = await clients.WaitForAllAsync(began, MaxGone);
        Tell($"p50 {Middle(gone)} s, max {gone?.Max().TotalSeconds:0.0} s without an answer");
        await over;
        if (kind == 0)
            nodes.Nodes[leader].Start();
        else if (kind == 1)
            nodes.Nodes[leader].Resume();
        else
            nodes.Heal(leader);
        var healed = Stopwatch.GetTimestamp();
        await WaitUntilAllHaveJoinedAsync(nodes);
        Assert.NotNull(gone);
        Assert.NotNull(await clients.WaitForAllAsync(Stopwatch.GetTimestamp(), MaxGone));
        Tell($"well {Stopwatch.GetElapsedTime(healed).TotalSeconds:0.0} s later");
        return gone;
    }

    private static string Middle(IReadOnlyList<TimeSpan>? times) =>
        times is null ? "?" : $"{times.Order().ElementAt(times.Count / 2).TotalSeconds:0.0}";

    private static async Task<int> WaitForLeaderAsync(TallyNodes nodes)
    {
        var began = Stopwatch.GetTimestamp();
        while (true)
        {
            if (await nodes.FindLeaderAsync() is { } leader)
                return leader;
            Assert.True(Stopwatch.GetElapsedTime(began) < MaxStart, "no node leads");
            await Task.Delay(100);
        }
    }

    private static async Task WaitUntilAllHaveJoinedAsync(TallyNodes nodes)
    {
        var began = Stopwatch.GetTimestamp();
        for (var node = 0; node < TallyNodes.Count; node++)
        {
            while (!await nodes.HasJoinedAsync(node))
            {
                Assert.True(
                    Stopwatch.GetElapsedTime(began) < MaxStart,
                    $"the actors of n{node + 1} have not joined: {await nodes.ViewAsync(node, "/health/ready")}"
                );
                await Task.Delay(100);
            }
        }
    }

    private void Tell(string text)
    {
        var line = $"{DateTime.UtcNow:HH:mm:ss.fff} {text}";
        File.AppendAllText(Path.Combine(Folder, "run.log"), line + "\n");
        output.WriteLine(line);
    }
}
