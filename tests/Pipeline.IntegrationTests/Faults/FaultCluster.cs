using System.Diagnostics;
using System.Globalization;
using System.Text.Json;
using Pipeline.IntegrationTests.Faults.Checkers;
using Pipeline.IntegrationTests.Kafka;
using Pipeline.TestKit.Services;
using Xunit;

namespace Pipeline.IntegrationTests.Faults;

/// <summary>Three brokers, three nodes, and the network between them.</summary>
internal sealed class FaultCluster : IAsyncDisposable
{
    /// <summary>How many nodes there are.</summary>
    public const int Count = 3;
    private const int DiskMegabytes = 300;
    private static readonly TimeSpan MaxAnswer = TimeSpan.FromSeconds(5);
    private static readonly TimeSpan MaxVerification = TimeSpan.FromMinutes(1);
    private readonly SmallDisk?[] _disks = new SmallDisk?[Count];
    private readonly FaultClient _direct;
    private readonly FaultClient _patient;

    private FaultCluster(string folder, KafkaCluster brokers, FaultQueue queue, string? earlier)
    {
        (Folder, Brokers, Queue) = (folder, brokers, queue);
        var ports = Enumerable.Range(0, Count).Select(_ => FreePorts.Find()).ToList();
        Nodes = new FaultNode[Count];
        Network = new FaultNetwork(brokers, ports, n => Nodes[n]?.ProcessId);
        for (var node = 0; node < Count; node++)
            Nodes[node] = MakeNode(node, ports[node], earlier);
        List<Uri> urls = [.. ports.Select(p => new Uri($"http://127.0.0.1:{p}"))];
        (_direct, _patient) = (new FaultClient(urls, MaxAnswer), new FaultClient(urls, MaxVerification));
    }

    /// <summary>Where messages and configurations are.</summary>
    public string Folder { get; }

    public KafkaCluster Brokers { get; }

    public FaultQueue Queue { get; }

    public FaultNetwork Network { get; }

    public FaultNode[] Nodes { get; }

    /// <summary>The topic of the log.</summary>
    public const string Topic = "pipeline-faults";

    /// <summary>The topic that an ETL task sends the registers to.</summary>
    public const string SentTopic = "registers";

    private const int Tasks = 2;

    /// <summary>Why no disk can be filled; null if one can.</summary>
    public string? NoDisks { get; private set; }

    /// <summary>Starts brokers and nodes.</summary>
    /// <param name="folder">Where messages and configurations go.</param>
    /// <param name="earlier">The folder of an earlier version that the nodes start with, or null.</param>
    /// <exception cref="SkipException">Kafka or RabbitMQ is not installed.</exception>
    public static async Task<FaultCluster> StartAsync(string folder, string? earlier)
    {
        Directory.CreateDirectory(folder);
        var (brokers, queue) = (new KafkaCluster(["ONE", "TWO", "THREE"]), new FaultQueue());
        await queue.StartAsync();
        var cluster = new FaultCluster(folder, brokers, queue, earlier);
        await cluster.Brokers.StartAsync((broker, listener) => cluster.Network.LogPort(listener, broker));
        foreach (var node in cluster.Nodes)
            node.Start();
        return cluster;
    }

    /// <summary>The node that leads, as most of them say; null if none does.</summary>
    public async Task<int?> FindLeaderAsync()
    {
        var views = await Task.WhenAll(Enumerable.Range(0, Count).Select(ViewAsync));
        for (var node = 0; node < Count; node++)
        {
            if (views[node] is { } view && view.GetProperty("role").GetString() == "leader")
                return node;
        }
        return null;
    }

    /// <summary>Waits until a node leads; null if none does.</summary>
    public async Task<int?> WaitForLeaderAsync(TimeSpan most)
    {
        var began = Stopwatch.GetTimestamp();
        while (true)
        {
            if (await FindLeaderAsync() is { } leader)
                return leader;
            if (Stopwatch.GetElapsedTime(began) > most)
                return null;
            await Task.Delay(100);
        }
    }

    /// <summary>What a node says of itself; null if it does not answer.</summary>
    public async Task<JsonElement?> ViewAsync(int node)
    {
        if (Nodes[node].ProcessId is null)
            return null;
        var answer = await _direct.SendAsync(node, HttpMethod.Get, "/cluster/node");
        return answer.IsDone ? answer.Json : null;
    }

    /// <summary>Has a node lead.</summary>
    public Task<FaultAnswer> HandOverAsync(int to) =>
        _direct.SendAsync(to, HttpMethod.Post, $"/cluster/handover?to={Nodes[to].Name}");

    /// <summary>Compares all stores.</summary>
    public Task<FaultAnswer> VerifyAsync(int leader) => _patient.SendAsync(leader, HttpMethod.Post, "/cluster/verify");

    /// <summary>Waits until the ETL tasks have sent everything.</summary>
    /// <returns>What it waits for, or null.</returns>
    public async Task<string?> WaitUntilSentAsync(TimeSpan most, CancellationToken ct)
    {
        var told = "no node leads";
        for (var began = Stopwatch.GetTimestamp(); Stopwatch.GetElapsedTime(began) < most; await Task.Delay(100, ct))
        {
            if (await FindLeaderAsync() is not { } leader)
                continue;
            var answer = await _direct.SendAsync(leader, HttpMethod.Get, "/etl/tasks");
            told = answer.Text;
            if (
                answer is { IsDone: true, Json: { ValueKind: JsonValueKind.Array } tasks }
                && tasks.GetArrayLength() == Tasks
            )
            {
                if (tasks.EnumerateArray().Any(t => t.GetProperty("deadLetters").GetInt64() > 0))
                    return told;
                if (tasks.EnumerateArray().All(t => t.GetProperty("lag").GetInt64() == 0))
                    return null;
            }
        }
        return told;
    }

    /// <summary>The messages that consumers of committed records get.</summary>
    public IReadOnlyList<SentMessage> ReadSent() =>
        [
            .. KafkaTestBase
                .ReadAll(Brokers.Endpoint, SentTopic)
                .Select(r => new SentMessage(
                    r.Offset.Value,
                    int.Parse(r.Message.Key!.Split('/')[1], CultureInfo.InvariantCulture),
                    JsonSerializer.Deserialize<JsonElement>(r.Message.Value).GetProperty("Value").GetInt64()
                )),
        ];

    /// <summary>Waits until all nodes answer; false if that takes too long or is cancelled.</summary>
    public async Task<bool> WaitUntilAllAnswerAsync(TimeSpan most, CancellationToken ct)
    {
        for (var began = Stopwatch.GetTimestamp(); Stopwatch.GetElapsedTime(began) < most; )
        {
            var views = await Task.WhenAll(Enumerable.Range(0, Count).Select(ViewAsync));
            if (views.All(v => v is not null))
                return true;
            await Task.Delay(100, ct).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            if (ct.IsCancellationRequested)
                return false;
        }
        return false;
    }

    /// <summary>Waits until all nodes have read the whole log.</summary>
    /// <returns>The problem of the nodes that have not, or null.</returns>
    public async Task<string?> WaitUntilWellAsync(TimeSpan most, CancellationToken ct)
    {
        var began = Stopwatch.GetTimestamp();
        while (true)
        {
            var views = await Task.WhenAll(Enumerable.Range(0, Count).Select(ViewAsync));
            var ill = Enumerable.Range(0, Count).Where(n => !IsWell(views[n])).ToList();
            if (ill.Count == 0 && views.Any(v => v!.Value.GetProperty("role").GetString() == "leader"))
                return null;
            if (Stopwatch.GetElapsedTime(began) > most)
            {
                return ill.Count == 0
                    ? "no node leads"
                    : string.Join("; ", ill.Select(n => $"n{n + 1}: {views[n]?.ToString() ?? "no answer"}"));
            }
            await Task.Delay(100, ct);
        }
    }

    /// <summary>Fills the disk of a node.</summary>
    public void FillDisk(int node)
    {
        using var ballast = new FileStream(BallastOf(node), FileMode.Create, FileAccess.Write, FileShare.None, 0);
        var bytes = new byte[1 << 20];
        try
        {
            while (true)
                ballast.Write(bytes);
        }
        catch (IOException)
        {
            return; // it is full
        }
    }

    /// <summary>Makes room again.</summary>
    public void FreeDisk(int node) => File.Delete(BallastOf(node));

    public async ValueTask DisposeAsync()
    {
        await Task.WhenAll(Nodes.Select(n => n.DisposeAsync().AsTask()));
        await Brokers.DisposeAsync();
        await Queue.DisposeAsync();
        await Network.DisposeAsync();
        foreach (var disk in _disks)
            disk?.Dispose();
        _direct.Dispose();
        _patient.Dispose();
    }

    private static bool IsWell(JsonElement? view) =>
        view is { } found
        && found.GetProperty("role").GetString() is "leader" or "follower"
        && view.Value.GetProperty("isCaughtUp").GetBoolean()
        && (!view.Value.TryGetProperty("problem", out var problem) || problem.ValueKind == JsonValueKind.Null);

    private string BallastOf(int node) => Path.Combine(_disks[node]!.Folder, "ballast");

    private FaultNode MakeNode(int node, int port, string? earlier)
    {
        var name = $"n{node + 1}";
        try
        {
            _disks[node] = SmallDisk.Mount(DiskMegabytes);
        }
        catch (SkipException e)
        {
            NoDisks = e.Message;
        }
        var data = Path.Combine(_disks[node]?.Folder ?? Folder, name);
        var brokers = string.Join(
            ',',
            Enumerable.Range(0, KafkaCluster.Count).Select(b => $"127.0.0.1:{Network.LogPort(node, b)}")
        );
        var configuration = Path.Combine(Folder, name + ".yaml");
        File.WriteAllText(
            configuration,
            $$"""
            version: 1
            database: { name: shop, path: "{{data}}" }
            cluster:
              name: faults
              node: {{name}}
              url: "http://127.0.0.1:{{Network.NodePort(node)}}"
              log:
                trim: { every: 2s, keepRecords: 500 }
                kafka: { bootstrapServers: "{{brokers}}", topic: {{Topic}} }
            server: { url: "http://127.0.0.1:{{port}}" }
            connections:
              bus: { kafka: { bootstrapServers: "{{brokers}}", transactionTimeout: 5s } }
              {{Queue.Connection}}
            etl:
              - name: registers
                from: [Registers]
                to: bus
                retry: { initialDelay: 100ms, maxDelay: 1s, failedDelay: 1s }
                transform: 'send("{{SentTopic}}", new { doc.Value }, key: id);'
              - name: queue
                from: [Registers]
                to: queues
                retry: { initialDelay: 100ms, maxDelay: 1s, failedDelay: 1s }
                transform: '{{FaultQueue.Transform}}'
            """
        );
        return new FaultNode(name, configuration, data, port, Path.Combine(Folder, name + ".log"), earlier);
    }
}
