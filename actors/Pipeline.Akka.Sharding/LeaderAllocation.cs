using System.Collections.Immutable;
using Akka.Actor;
using Akka.Cluster.Sharding;
using AkkaCluster = Akka.Cluster.Cluster;

namespace Pipeline.Akka.Sharding;

/// <summary>
/// Places all shards on the node that leads the database, and moves them when another node leads. Actors persist
/// there without a network call, and nowhere else: the database of other nodes takes no writes.
/// </summary>
public sealed class LeaderAllocation : IShardAllocationStrategy
{
    private readonly LeaderPlace _place;
    private readonly AkkaCluster _cluster;

    /// <summary>Creates the strategy.</summary>
    /// <param name="system">An actor system with a <see cref="LeaderPlaceSetup"/>.</param>
    /// <exception cref="InvalidOperationException">It has none.</exception>
    public LeaderAllocation(ActorSystem system)
    {
        _place = LeaderPlace.Get(system);
        _cluster = AkkaCluster.Get(system);
    }

    /// <summary>Names the region of the leader.</summary>
    /// <exception cref="InvalidOperationException">
    /// No leader is known, or its node has not started the shards yet. The region that asked asks again.
    /// </exception>
    public Task<IActorRef> AllocateShard(
        IActorRef requester,
        string shardId,
        IImmutableDictionary<IActorRef, IImmutableList<string>> currentShardAllocations
    ) =>
        RegionOfLeader(currentShardAllocations.Keys) is { } region
            ? Task.FromResult(region)
            : Task.FromException<IActorRef>(
                new InvalidOperationException($"The shard {shardId} waits for the node that leads.")
            );

    /// <summary>
    /// Names the shards that run on other nodes than the leader, if the leader can take them. An unreachable node cannot
    /// give its shards away: they are free once it is removed, and a hand-off that waits for it would only delay that.
    /// </summary>
    public Task<IImmutableSet<string>> Rebalance(
        IImmutableDictionary<IActorRef, IImmutableList<string>> currentShardAllocations,
        IImmutableSet<string> rebalanceInProgress
    )
    {
        var leader = RegionOfLeader(currentShardAllocations.Keys);
        IImmutableSet<string> moving = leader is null
            ? ImmutableHashSet<string>.Empty
            : currentShardAllocations
                .Where(region => !region.Key.Equals(leader) && IsReachable(AddressOf(region.Key)))
                .SelectMany(region => region.Value)
                .Except(rebalanceInProgress)
                .ToImmutableHashSet();
        return Task.FromResult(moving);
    }

    private IActorRef? RegionOfLeader(IEnumerable<IActorRef> regions) =>
        _place.Leader is { } leader ? regions.FirstOrDefault(r => AddressOf(r) == leader) : null;

    /// <summary>A region of this node has a path without a host.</summary>
    private Address AddressOf(IActorRef region) =>
        region.Path.Address.HasGlobalScope ? region.Path.Address : _cluster.SelfAddress;

    private bool IsReachable(Address address) => _cluster.State.Unreachable.All(m => m.Address != address);
}
