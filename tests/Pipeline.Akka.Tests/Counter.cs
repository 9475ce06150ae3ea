using Akka.Actor;
using Akka.Persistence;
using Akka.Persistence.Journal;

namespace Pipeline.Akka.Tests;

/// <summary>Adds numbers up; reports failures.</summary>
internal sealed class Counter : UntypedPersistentActor
{
    private int _sum;
    private IActorRef? _asked;

    public Counter(string id, string? journal, string? snapshots)
    {
        PersistenceId = id;
        if (journal is not null)
            JournalPluginId = journal;
        if (snapshots is not null)
            SnapshotPluginId = snapshots;
    }

    public override string PersistenceId { get; }

    public static Props Props(string id, string? plugin = null) =>
        global::Akka.Actor.Props.Create(() =>
            new Counter(
                id,
                plugin == null ? null : "akka.persistence.journal." + plugin,
                plugin == null ? null : "akka.persistence.snapshot-store." + plugin
            )
        );

    protected override void OnCommand(object message)
    {
        var sender = Sender;
        switch (message)
        {
            case int n:
                _asked = sender;
                Persist(
                    new Added(n),
                    e =>
                    {
                        _sum += e.N;
                        sender.Tell(_sum);
                    }
                );
                break;
            case "sum":
                sender.Tell(_sum);
                break;
            case "save":
                _asked = sender;
                SaveSnapshot(_sum);
                break;
            case SaveSnapshotSuccess:
                _asked.Tell("saved");
                break;
            case SaveSnapshotFailure failure:
                _asked.Tell(failure.Cause);
                break;
        }
    }

    protected override void OnRecover(object message)
    {
        if (message is Added added)
            _sum += added.N;
        else if (message is SnapshotOffer offer)
            _sum = Convert.ToInt32(offer.Snapshot, System.Globalization.CultureInfo.InvariantCulture);
    }

    protected override void OnPersistFailure(Exception cause, object @event, long sequenceNr) => _asked.Tell(cause);

    /// <summary>The event.</summary>
    public sealed record Added(int N);
}

/// <summary>Tags events by their number.</summary>
public sealed class ParityTagger : IWriteEventAdapter
{
    /// <inheritdoc/>
    public string Manifest(object evt) => "";

    /// <inheritdoc/>
    public object ToJournal(object evt) =>
        evt is Counter.Added added ? new Tagged(evt, [added.N % 2 == 0 ? "even" : "odd"]) : evt;
}
