using Akka.Actor;
using Akka.Cluster;
using AkkaCluster = Akka.Cluster.Cluster;

namespace Pipeline.Akka.Sharding;

/// <summary>
/// Removes unreachable nodes from the actors' cluster, at the node that leads the database and nowhere else. The log
/// that elects the leader decides, so two halves of a network never remove each other.
/// </summary>
/// <remarks>
/// A removed node that still runs cannot persist: its database takes no writes. Its actor system starts again when it
/// notices that it has lost the leader.
/// </remarks>
public sealed class LeaderDowning : IDowningProvider
{
    /// <summary>Akka creates it, as <c>akka.cluster.downing-provider-class</c> says.</summary>
    /// <param name="system">The actor system.</param>
    /// <param name="cluster">Its cluster.</param>
    public LeaderDowning(ActorSystem system, AkkaCluster cluster)
    {
        ArgumentNullException.ThrowIfNull(system);
        var after = system.Settings.Config.GetTimeSpan("pipeline.sharding.down-after", TimeSpan.FromSeconds(3));
        DowningActorProps = Props.Create(() => new Downing(cluster, after));
    }

    /// <inheritdoc/>
    public TimeSpan DownRemovalMargin => TimeSpan.Zero;

    /// <inheritdoc/>
    public Props DowningActorProps { get; }

    private sealed class Downing : ReceiveActor, IWithTimers
    {
        private static readonly TimeSpan LookEvery = TimeSpan.FromMilliseconds(500);
        private readonly Dictionary<UniqueAddress, long> _since = [];
        private readonly AkkaCluster _cluster;

        public Downing(AkkaCluster cluster, TimeSpan after)
        {
            _cluster = cluster;
            var clock = Context.System.Scheduler;
            Receive<ClusterEvent.UnreachableMember>(e =>
                _since.TryAdd(e.Member.UniqueAddress, clock.MonotonicClock.Ticks)
            );
            Receive<ClusterEvent.ReachableMember>(e => _since.Remove(e.Member.UniqueAddress));
            Receive<ClusterEvent.MemberRemoved>(e => _since.Remove(e.Member.UniqueAddress));
            Receive<Look>(_ => Down(clock.MonotonicClock.Ticks - after.Ticks));
        }

        public ITimerScheduler Timers { get; set; } = null!;

        protected override void PreStart()
        {
            _cluster.Subscribe(
                Self,
                ClusterEvent.SubscriptionInitialStateMode.InitialStateAsEvents,
                typeof(ClusterEvent.IReachabilityEvent),
                typeof(ClusterEvent.MemberRemoved)
            );
            Timers.StartPeriodicTimer(nameof(Look), Look.Instance, LookEvery);
        }

        protected override void PostStop() => _cluster.Unsubscribe(Self);

        private void Down(long before)
        {
            if (_since.Count == 0 || !LeaderPlace.Get(Context.System).Leads)
                return;
            foreach (var node in _since.Where(n => n.Value <= before).Select(n => n.Key).ToList())
                _cluster.Down(node.Address);
        }
    }

    private sealed class Look
    {
        public static readonly Look Instance = new();
    }
}
