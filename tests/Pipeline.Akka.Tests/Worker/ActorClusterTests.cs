using System.Collections.Concurrent;
using System.Diagnostics;
using System.Globalization;
using Akka.Actor;
using Akka.Cluster.Sharding;
using Pipeline.Akka.Persistence;
using Pipeline.Akka.Sharding;
using Pipeline.Configuration;
using Pipeline.Database;
using Pipeline.Runner;
using Pipeline.TestKit.Certificates;
using Pipeline.TestKit.Services;
using Pipeline.WorkerKit.Cluster;
using Pipeline.Yaml;
using Xunit;
using AkkaCluster = Akka.Cluster.Cluster;

namespace Pipeline.Akka.Tests.Worker;

/// <summary>
/// Workers that are nodes of a cluster, whose actor systems form one: entities run on the leader, move with it and lose
/// nothing.
/// </summary>
public sealed class ActorClusterTests
{
    private const int Entities = 12;
    private static readonly TimeSpan Timeout = TimeSpan.FromSeconds(90);
    private readonly long[] _acknowledged = new long[Entities];
    private readonly long[] _asked = new long[Entities];

    [Fact]
    public async Task Entities_run_beside_the_leader_and_move_with_it()
    {
        await using var cluster = await StartAsync();
        var first = await cluster.LeaderAsync();
        await AddToAllAsync(cluster);
        await UntilAllAreAtAsync(cluster, first.Database);

        var second = await cluster.HandOverAsync(cluster.Names.First(n => cluster[n] != first));
        // Nobody has sent anything: the entities are remembered.
        await UntilAllAreAtAsync(cluster, second.Database);
        await AddToAllAsync(cluster);
        await UntilAllAreAtAsync(cluster, second.Database);
    }

    [Fact]
    public async Task With_certificates_entities_come_back_beside_the_next_leader_when_one_is_gone()
    {
        var pem = Path.Combine(TestFolders.Make(), "node.pem");
        await File.WriteAllTextAsync(pem, TestCertificate.ToPem(TestCertificate.Make("node")));
        await using var cluster = await StartAsync($", certificate: {{ file: \"{pem}\" }}", "https");
        var first = await cluster.LeaderAsync();
        await AddToAllAsync(cluster);
        var gone = cluster.Names.First(n => cluster[n] == first);
        await cluster.KillAsync(gone);
        var second = await cluster.LeaderAsync(exceptFor: gone);
        await UntilAllAreAtAsync(cluster, second.Database);
        await AddToAllAsync(cluster);

        await cluster.StartAsync(gone);
        await RegionAsync(cluster, gone);
        await AddToAllAsync(cluster);
    }

    [Fact]
    public async Task A_class_that_is_not_there_ends_the_start()
    {
        var e = await Assert.ThrowsAsync<WorkerException>(() => StartAsync(start: "No.Such.Class"));
        Assert.Contains("there is no class 'No.Such.Class'", e.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_worker_that_is_alone_has_no_cluster_of_actors()
    {
        var e = Assert.Throws<ConfigurationException>(() =>
            PipelineConfiguration.Parse(
                "version: 1\ndatabase: { path: ./data }\nactors: { start: Some.Class, cluster: { port: 4053 } }",
                "pipeline.yaml",
                FixedVariables.None
            )
        );
        Assert.Contains("actors.cluster needs the section cluster", e.Message, StringComparison.Ordinal);
    }

    private static Task<WorkerCluster> StartAsync(string server = "", string scheme = "http", string? start = null) =>
        WorkerCluster.StartAsync(
            3,
            $$"""actors: { start: "{{start ?? typeof(Start).FullName}}", cluster: { port: $PORT } }""",
            server: server,
            scheme: scheme,
            before: cluster =>
            {
                foreach (var file in cluster.Names.Select(cluster.FileOf))
                {
                    var port = FreePorts.Find().ToString(CultureInfo.InvariantCulture);
                    File.WriteAllText(file, File.ReadAllText(file).Replace("$PORT", port, StringComparison.Ordinal));
                }
                return Task.CompletedTask;
            }
        );

    /// <summary>Sends each entity a command, from whichever node's turn it is.</summary>
    private async Task AddToAllAsync(WorkerCluster cluster)
    {
        var names = cluster.Names.Where(cluster.Runs).ToList();
        for (var i = 0; i < Entities; i++)
            await AddAsync(cluster, names[i % names.Count], i);
    }

    /// <summary>A command whose answer was lost may have counted too, and none counts twice or is forgotten.</summary>
    private async Task AddAsync(WorkerCluster cluster, string node, int entity)
    {
        var region = await RegionAsync(cluster, node);
        var watch = Stopwatch.StartNew();
        while (true)
        {
            var asked = ++_asked[entity];
            try
            {
                var count = await region.Ask<long>(new Add(entity), TimeSpan.FromSeconds(2));
                Assert.InRange(count, _acknowledged[entity] + 1, asked);
                _acknowledged[entity] = count;
                return;
            }
            catch (AskTimeoutException) when (watch.Elapsed < Timeout)
            {
                region = await RegionAsync(cluster, node);
            }
        }
    }

    private static async Task UntilAllAreAtAsync(WorkerCluster cluster, DocumentDatabase database)
    {
        await cluster.UntilAsync(
            () => Entity.Running.Count == Entities && Entity.Running.All(e => e.Value == database),
            "not all entities run on the leader"
        );
    }

    private static async Task<IActorRef> RegionAsync(WorkerCluster cluster, string node)
    {
        await cluster.UntilAsync(
            () => Start.Regions.ContainsKey(cluster[node].Database),
            $"the actors of {node} have not joined"
        );
        return Start.Regions[cluster[node].Database];
    }

    public sealed class Start : IActorStarter
    {
        public static ConcurrentDictionary<DocumentDatabase, IActorRef> Regions { get; } = new();

        public async Task StartAsync(ActorSystem system, DocumentDatabase database, CancellationToken ct) =>
            Regions[database] = await LeaderShards.StartAsync(
                system,
                "counter",
                id => Props.Create(() => new Entity(id, database)),
                new Extractor(),
                ct: ct
            );
    }

    public sealed record Add(int Entity);

    private sealed class Extractor() : HashCodeMessageExtractor(6)
    {
        public override string? EntityId(object message) =>
            (message as Add)?.Entity.ToString(CultureInfo.InvariantCulture);
    }

    private sealed class Entity(string id, DocumentDatabase database) : global::Akka.Persistence.UntypedPersistentActor
    {
        private long _count;

        public static ConcurrentDictionary<string, DocumentDatabase> Running { get; } = new();

        public override string PersistenceId => "counter-" + id;

        protected override void PreStart() => Running[id] = database;

        protected override void PostStop() => Running.TryRemove(new(id, database));

        protected override void OnCommand(object message)
        {
            if (message is not Add add)
                return;
            var sender = Sender;
            Persist(add, _ => sender.Tell(++_count));
        }

        protected override void OnRecover(object message)
        {
            if (message is Add)
                _count++;
        }
    }
}
