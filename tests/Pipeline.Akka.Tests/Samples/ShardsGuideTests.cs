using Akka.Actor;
using Akka.Cluster.Sharding;
using Pipeline.Akka.Persistence;
using Pipeline.Akka.Sharding;
using Pipeline.Database;
using Xunit;

namespace Pipeline.Akka.Tests.Samples;

/// <summary>The guide's code for shards compiles. Without a worker to name the leader, it reports that it needs one.</summary>
public sealed class ShardsGuideTests
{
    [Fact]
    public async Task An_actor_system_that_knows_no_leader_says_so()
    {
        using var system = ActorSystem.Create(
            "alone",
            global::Akka
                .Configuration.ConfigurationFactory.ParseString(
                    "akka.stdout-loglevel = OFF\nakka.loglevel = OFF\nakka.remote.dot-netty.tcp { hostname = 127.0.0.1, port = 0 }"
                )
                .WithFallback(LeaderShards.DefaultConfiguration())
        );
        var e = await Assert.ThrowsAsync<InvalidOperationException>(() =>
            new Start().StartAsync(system, null!, CancellationToken.None)
        );
        Assert.Contains("actors.cluster", e.Message, StringComparison.Ordinal);
        await system.Terminate();
    }

    // begin-snippet: shards
    public sealed class Start : IActorStarter
    {
        public Task StartAsync(ActorSystem system, DocumentDatabase database, CancellationToken ct) =>
            LeaderShards.StartAsync(
                system,
                "account",
                id => Props.Create(() => new Account(id)),
                new ByAccount(),
                ct: ct
            );
    }

    // end-snippet

    public sealed record Deposit(string Account, decimal Amount);

    private sealed class ByAccount() : HashCodeMessageExtractor(100)
    {
        public override string? EntityId(object message) => (message as Deposit)?.Account;
    }

    private sealed class Account(string id) : global::Akka.Persistence.UntypedPersistentActor
    {
        private decimal _balance;

        public override string PersistenceId => "account-" + id;

        protected override void OnCommand(object message)
        {
            if (message is Deposit deposit)
                Persist(deposit, d => Sender.Tell(_balance += d.Amount));
        }

        protected override void OnRecover(object message)
        {
            if (message is Deposit deposit)
                _balance += deposit.Amount;
        }
    }
}
