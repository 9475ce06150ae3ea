using Akka.Actor;
using Akka.Cluster.Sharding;
using Akka.Cluster.Tools.Singleton;
using Akka.Configuration;
using Akka.Util;

namespace Pipeline.Akka.Sharding;

/// <summary>Starts shards that run on the node that leads the database.</summary>
public static class LeaderShards
{
    /// <summary>
    /// Starts the shards of one type on this node. Call it on every node: each gets a region that passes messages on to
    /// the node that leads.
    /// </summary>
    /// <param name="system">An actor system whose worker has <c>actors.cluster</c>.</param>
    /// <param name="typeName">The name of the type, the same on all nodes.</param>
    /// <param name="entity">Makes the actor of an id.</param>
    /// <param name="extractor">Finds the id and the shard of a message.</param>
    /// <param name="remembers">
    /// Whether entities start again by themselves when their shard moves. Their ids are kept in the replicated database.
    /// </param>
    /// <param name="ct">Ends the wait, not the start.</param>
    /// <returns>The region, to which messages for entities are sent.</returns>
    /// <exception cref="InvalidOperationException">The system does not know the leader.</exception>
    public static Task<IActorRef> StartAsync(
        ActorSystem system,
        string typeName,
        Func<string, Props> entity,
        IMessageExtractor extractor,
        bool remembers = true,
        CancellationToken ct = default
    )
    {
        ArgumentNullException.ThrowIfNull(system);
        return ClusterSharding
            .Get(system)
            .StartAsync(
                typeName,
                entity,
                ClusterShardingSettings.Create(system).WithRememberEntities(remembers),
                extractor,
                new LeaderAllocation(system),
                PoisonPill.Instance
            )
            .WaitAsync(ct);
    }

    /// <summary>
    /// The settings with which shards run on the leader's node. Failed nodes are found within seconds, and only the leader removes
    /// them. The journal of sharding keeps the ids of entities.
    /// </summary>
    public static Config DefaultConfiguration() =>
        ConfigurationFactory
            .ParseString(
                $$"""
                akka.actor.provider = cluster
                akka.cluster {
                  downing-provider-class = "{{typeof(LeaderDowning).TypeQualifiedName()}}"
                  run-coordinated-shutdown-when-down = on
                  failure-detector { heartbeat-interval = 500ms, acceptable-heartbeat-pause = 2s, expected-response-after = 500ms }
                  sharding {
                    state-store-mode = ddata
                    remember-entities-store = eventsourced
                    rebalance-interval = 1s
                    retry-interval = 500ms
                    coordinator-failure-backoff = 1s
                    shard-failure-backoff = 1s
                    handoff-timeout = 3s
                    waiting-for-state-timeout = 2s
                    updating-state-timeout = 2s
                  }
                }
                akka.coordinated-shutdown { run-by-clr-shutdown-hook = off, run-by-actor-system-terminate = off, exit-clr = off }
                pipeline.sharding.down-after = 3s
                """
            )
            .WithFallback(ClusterSharding.DefaultConfig())
            .WithFallback(ClusterSingleton.DefaultConfig())
            .WithFallback(global::Akka.DistributedData.DistributedData.DefaultConfig());
}
