using System.Collections.Immutable;
using Akka.Actor;
using Akka.Configuration;
using Akka.Persistence;
using Akka.TestKit;
using Xunit;

namespace Pipeline.Akka.Tests.Plugin;

/// <summary>A test that talks to the plugins in Akka's messages.</summary>
/// <param name="place">Where events are kept.</param>
public abstract class PluginTest(Config place) : global::Akka.TestKit.Xunit2.TestKit(place)
{
    private protected static TimeSpan Soon => TimeSpan.FromSeconds(20);

    private protected PersistenceExtension Plugins => global::Akka.Persistence.Persistence.Instance.Apply(Sys);

    private protected IActorRef Journal => Plugins.JournalFor("");

    private protected IActorRef Snapshots => Plugins.SnapshotStoreFor("");

    /// <summary>Appends events, numbered from a number on, as one atomic write each.</summary>
    private protected void Write(string persistenceId, long from, params object[] events)
    {
        var probe = CreateTestProbe();
        AtomicWrite[] writes =
        [
            .. events.Select((e, i) => new AtomicWrite(Representation(persistenceId, from + i, e))),
        ];
        Journal.Tell(new WriteMessages(writes, probe, 1), probe);
        probe.ExpectMsg<WriteMessagesSuccessful>(Soon);
        for (var i = 0; i < events.Length; i++)
            Assert.Equal(from + i, probe.ExpectMsg<WriteMessageSuccess>(Soon).Persistent.SequenceNr);
    }

    /// <summary>Appends events as one atomic write.</summary>
    private protected void WriteTogether(string persistenceId, long from, params object[] events)
    {
        var probe = CreateTestProbe();
        Journal.Tell(
            new WriteMessages(
                [
                    new AtomicWrite(
                        events
                            .Select((e, i) => (IPersistentRepresentation)Representation(persistenceId, from + i, e))
                            .ToImmutableList()
                    ),
                ],
                probe,
                1
            ),
            probe
        );
        probe.ExpectMsg<WriteMessagesSuccessful>(Soon);
        foreach (var _ in events)
            probe.ExpectMsg<WriteMessageSuccess>(Soon);
    }

    /// <summary>Replays events.</summary>
    /// <returns>The events, and the highest number of the persistence id.</returns>
    private protected (List<IPersistentRepresentation> Events, long Highest) Replay(
        string persistenceId,
        long from = 1,
        long to = long.MaxValue,
        long most = long.MaxValue
    )
    {
        var probe = CreateTestProbe();
        Journal.Tell(new ReplayMessages(from, to, most, persistenceId, probe), probe);
        var events = new List<IPersistentRepresentation>();
        while (true)
        {
            var message = probe.ReceiveOne(Soon);
            if (message is RecoverySuccess end)
                return (events, end.HighestSequenceNr);
            events.Add(Assert.IsType<ReplayedMessage>(message).Persistent);
        }
    }

    /// <summary>Deletes events up to a number.</summary>
    private protected void Delete(string persistenceId, long to)
    {
        var probe = CreateTestProbe();
        Journal.Tell(new DeleteMessagesTo(persistenceId, to, probe), probe);
        Assert.Equal(to, probe.ExpectMsg<DeleteMessagesSuccess>(Soon).ToSequenceNr);
    }

    /// <summary>Saves a snapshot.</summary>
    /// <returns>What it is known by.</returns>
    private protected SnapshotMetadata Save(string persistenceId, long number, object snapshot, DateTime time = default)
    {
        var probe = CreateTestProbe();
        Snapshots.Tell(new SaveSnapshot(new SnapshotMetadata(persistenceId, number, time), snapshot), probe);
        return probe.ExpectMsg<SaveSnapshotSuccess>(Soon).Metadata;
    }

    /// <summary>Loads the newest snapshot that matches.</summary>
    private protected SelectedSnapshot? Load(
        string persistenceId,
        SnapshotSelectionCriteria criteria,
        long to = long.MaxValue
    )
    {
        var probe = CreateTestProbe();
        Snapshots.Tell(new LoadSnapshot(persistenceId, criteria, to), probe);
        return probe.ExpectMsg<LoadSnapshotResult>(Soon).Snapshot;
    }

    private protected static Persistent Representation(string persistenceId, long number, object payload) =>
        new(payload, number, persistenceId, "", false, ActorRefs.NoSender, "writer-1");
}
