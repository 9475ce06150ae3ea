using Akka.Actor;
using Pipeline.Akka.Persistence;
using Pipeline.Database;

namespace Actors;

/// <summary>Starts the accounts; pipeline.yaml names it.</summary>
public sealed class Bank : IActorStarter
{
    public const int Accounts = 10;

    /// <summary>The accounts of the running worker.</summary>
    public static IReadOnlyList<IActorRef> Running { get; private set; } = [];

    public Task StartAsync(ActorSystem system, DocumentDatabase database, CancellationToken ct)
    {
        Running =
        [
            .. Enumerable.Range(1, Accounts).Select(i => system.ActorOf(Account.Props($"account-{i}"), $"account-{i}")),
        ];
        return Task.CompletedTask;
    }
}
