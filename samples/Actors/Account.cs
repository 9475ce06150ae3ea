using Akka.Actor;
using Akka.Persistence;

namespace Actors;

/// <summary>An account: its balance is what its events add up to.</summary>
public sealed class Account : ReceivePersistentActor
{
    private const int SnapshotEvery = 100;
    private long _cents;
    private long _count;

    public Account(string id)
    {
        PersistenceId = id;
        Recover<Deposited>(Apply);
        Recover<SnapshotOffer>(offer =>
            (_cents, _count) = offer.Snapshot is Balance b ? (b.Cents, b.Deposits) : default
        );
        Command<Deposit>(deposit =>
            Persist(
                new Deposited(deposit.Cents),
                e =>
                {
                    Apply(e);
                    if (LastSequenceNr % SnapshotEvery == 0)
                        SaveSnapshot(new Balance(_cents, _count));
                    Sender.Tell(new Balance(_cents, _count));
                }
            )
        );
        Command<GetBalance>(_ => Sender.Tell(new Balance(_cents, _count)));
        Command<SaveSnapshotSuccess>(_ => { });
    }

    public override string PersistenceId { get; }

    public static Props Props(string id) => Akka.Actor.Props.Create(() => new Account(id));

    private void Apply(Deposited e) => (_cents, _count) = (_cents + e.Cents, _count + 1);
}

/// <summary>Asks to add to an account.</summary>
public sealed record Deposit(long Cents);

/// <summary>Something was added to an account.</summary>
public sealed record Deposited(long Cents);

/// <summary>Asks for the balance.</summary>
public sealed record GetBalance;

/// <summary>The balance.</summary>
public sealed record Balance(long Cents, long Deposits);
