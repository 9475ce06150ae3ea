using System.Diagnostics;
using System.Globalization;
using Akka.Actor;
using Akka.Cluster;
using Akka.Cluster.Sharding;
using Akka.Configuration;
using Pipeline.TestKit.Processes;
using Xunit;
using Xunit.Abstractions;
using AkkaCluster = Akka.Cluster.Cluster;

namespace Pipeline.Akka.Tests.Sharding;

/// <summary>
/// Two nodes share a database on a server. PIPELINE_KILLS times (3 by default) one of them is killed while commands
/// run, also the coordinator's node. Its entities restart on the other node by themselves, with all that they had
/// persisted.
/// </summary>
[Collection(SpecServer.Collection)]
public sealed class ShardingTests(ITestOutputHelper output) : IAsyncLifetime
{
    private const int DefaultKills = 3;
    private const int Entities = 20;
    private static readonly TimeSpan Timeout = TimeSpan.FromSeconds(60);
    private readonly List<Node> _nodes = [];
    private readonly long[] _acknowledged = new long[Entities];
    private readonly long[] _asked = new long[Entities];
    private Config _config = null!;

    public Task InitializeAsync()
    {
        _config = ConfigurationFactory
            .ParseString(
                """
                akka.loglevel = OFF
                akka.stdout-loglevel = OFF
                akka.actor.provider = cluster
                akka.remote.dot-netty.tcp { hostname = "127.0.0.1", port = 0 }
                akka.remote.watch-failure-detector { heartbeat-interval = 200ms, acceptable-heartbeat-pause = 2s, expected-response-after = 500ms, unreachable-nodes-reaper-interval = 200ms }
                akka.coordinated-shutdown { run-by-actor-system-terminate = off, run-by-clr-shutdown-hook = off }
                akka.cluster {
                  gossip-interval = 100ms
                  leader-actions-interval = 100ms
                  unreachable-nodes-reaper-interval = 100ms
                  periodic-tasks-initial-delay = 100ms
                  run-coordinated-shutdown-when-down = off
                  split-brain-resolver.stable-after = 1s
                  failure-detector { heartbeat-interval = 200ms, acceptable-heartbeat-pause = 1500ms, expected-response-after = 300ms }
                  sharding {
                    state-store-mode = persistence
                    remember-entities = on
                    remember-entities-store = eventsourced
                    journal-plugin-id = "akka.persistence.journal.pipeline"
                    snapshot-plugin-id = "akka.persistence.snapshot-store.pipeline"
                    retry-interval = 200ms
                    updating-state-timeout = 2s
                    waiting-for-state-timeout = 2s
                    rebalance-interval = 1s
                    coordinator-failure-backoff = 200ms
                    shard-failure-backoff = 200ms
                    entity-restart-backoff = 200ms
                    number-of-shards = 10
                    snapshot-after = 20
                  }
                  singleton.hand-over-retry-interval = 100ms
                  singleton.min-number-of-hand-over-retries = 10
                }
                """
            )
            .WithFallback(SpecPlace.Remote())
            .WithFallback(ClusterSharding.DefaultConfig());
        return Task.CompletedTask;
    }

    public async Task DisposeAsync()
    {
        foreach (var node in _nodes)
            await node.System.Terminate();
    }

    [Fact]
    public async Task Entities_of_a_killed_node_come_back_on_the_other_and_have_lost_nothing()
    {
        var kills = ChildProcess.Kills ?? DefaultKills;
        var random = new Random(5);
        var watch = Stopwatch.StartNew();
        await StartAsync();
        for (var i = 0; i < Entities; i++)
            await AddAsync(_nodes[0], i);
        var coordinators = 0;
        for (var kill = 0; kill < kills; kill++)
        {
            await StartAsync();
            for (var i = 0; i < 40; i++)
                await AddAsync(_nodes[random.Next(2)], random.Next(Entities));

            // The first node is the oldest, so it has the coordinator.
            var killed = random.Next(3) == 0 ? 1 : 0;
            coordinators += killed == 0 ? 1 : 0;
            Node gone = _nodes[killed],
                left = _nodes[1 - killed];
            var busy = Task.WhenAll(Enumerable.Range(0, 10).Select(i => AddAsync(left, i)));
            await gone.System.Terminate();
            _nodes.Remove(gone);
            AkkaCluster.Get(left.System).Down(gone.Address);
            await busy;
            await RememberedAsync(left, kill);
            for (var i = 0; i < Entities; i++)
                await AddAsync(left, i);
        }

        output.WriteLine(
            string.Create(
                CultureInfo.InvariantCulture,
                $"{kills} kills, {coordinators} of them of the coordinator's node, in {watch.Elapsed.TotalSeconds:f0} s: {_acknowledged.Sum()} commands acknowledged"
            )
        );
    }

    /// <summary>
    /// Sends Add to an entity until it answers. A command whose answer was lost may have counted too:
    /// the next count lies between the acknowledged and the sent commands.
    /// </summary>
    private async Task AddAsync(Node node, int entity)
    {
        var watch = Stopwatch.StartNew();
        while (true)
        {
            var asked = Interlocked.Increment(ref _asked[entity]);
            var before = Interlocked.Read(ref _acknowledged[entity]);
            try
            {
                var count = await node.Region.Ask<long>(new Add(entity), TimeSpan.FromSeconds(2));
                Assert.True(
                    count > before,
                    $"entity {entity} counts {count} after {before} were acknowledged: it has lost something"
                );
                Assert.True(
                    count <= asked,
                    $"entity {entity} counts {count} after {asked} were asked: something counts twice"
                );
                Interlocked.Exchange(ref _acknowledged[entity], count);
                return;
            }
            catch (AskTimeoutException) when (watch.Elapsed < Timeout)
            {
                // The node that had it is gone; the next command finds where it went.
            }
        }
    }

    /// <summary>Waits until all entities run on the remaining node, even those that received no message.</summary>
    private static async Task RememberedAsync(Node node, int kill)
    {
        var watch = Stopwatch.StartNew();
        while (true)
        {
            var state = await node.Region.Ask<CurrentShardRegionState>(GetShardRegionState.Instance, Timeout);
            var running = state.Shards.Sum(s => s.EntityIds.Count);
            if (running == Entities)
                return;
            Assert.True(watch.Elapsed < Timeout, $"kill {kill}: {running} of {Entities} entities are remembered");
            await Task.Delay(50);
        }
    }

    private async Task StartAsync()
    {
        var system = ActorSystem.Create("shop", _config);
        var cluster = AkkaCluster.Get(system);
        await cluster.JoinAsync(
            _nodes.Count == 0 ? cluster.SelfAddress : _nodes[0].Address,
            new CancellationTokenSource(Timeout).Token
        );
        var region = await ClusterSharding
            .Get(system)
            .StartAsync(
                "counter",
                id => Props.Create(() => new Entity(id)),
                ClusterShardingSettings.Create(system),
                new Extractor()
            );
        _nodes.Add(new Node(system, cluster.SelfAddress, region));
    }

    private sealed record Node(ActorSystem System, Address Address, IActorRef Region);

    public sealed record Add(int Entity);

    private sealed class Extractor() : HashCodeMessageExtractor(10)
    {
        public override string? EntityId(object message) =>
            (message as Add)?.Entity.ToString(CultureInfo.InvariantCulture);
    }

    private sealed class Entity(string id) : global::Akka.Persistence.UntypedPersistentActor
    {
        private long _count;

        public override string PersistenceId => "counter-" + id;

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
