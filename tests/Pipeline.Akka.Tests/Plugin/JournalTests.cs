using System.Collections.Immutable;
using Akka.Configuration;
using Akka.Persistence;
using Akka.TestKit;
using Xunit;

namespace Pipeline.Akka.Tests.Plugin;

/// <summary>Akka.Persistence's requirements for a journal.</summary>
/// <param name="place">Where events are kept.</param>
public abstract class JournalTests(Config place) : PluginTest(place)
{
    [Theory]
    [InlineData(1, long.MaxValue, long.MaxValue, "1 2 3 4 5")]
    [InlineData(0, long.MaxValue, long.MaxValue, "1 2 3 4 5")]
    [InlineData(3, long.MaxValue, long.MaxValue, "3 4 5")]
    [InlineData(1, 3, long.MaxValue, "1 2 3")]
    [InlineData(1, long.MaxValue, 2, "1 2")]
    [InlineData(2, 4, long.MaxValue, "2 3 4")]
    [InlineData(2, 5, 2, "2 3")]
    [InlineData(2, 2, long.MaxValue, "2")]
    [InlineData(2, 4, 1, "2")]
    [InlineData(1, 3, 0, "")]
    [InlineData(3, 2, long.MaxValue, "")]
    [InlineData(6, 9, long.MaxValue, "")]
    public void A_replay_gives_what_its_bounds_hold(long from, long to, long most, string expected)
    {
        Write("a", 1, "1", "2", "3", "4", "5");
        Write("b", 1, "other");
        (var events, var highest) = Replay("a", from, to, most);
        Assert.Equal(expected, string.Join(' ', events.Select(e => e.Payload)));
        Assert.All(events, e => Assert.Equal(((string)e.Payload, "a"), ($"{e.SequenceNr}", e.PersistenceId)));
        Assert.Equal(5, highest);
    }

    [Fact]
    public void A_persistence_id_without_events_has_none_and_begins_at_zero()
    {
        (var events, var highest) = Replay("nobody");
        Assert.Empty(events);
        Assert.Equal(0, highest);
    }

    [Fact]
    public void Deleted_events_are_not_replayed_and_later_ones_are()
    {
        Write("a", 1, "1", "2", "3", "4", "5");
        Delete("a", 3);
        (var events, var highest) = Replay("a");
        Assert.Equal(["4", "5"], events.Select(e => e.Payload));
        Assert.Equal(5, highest);
    }

    [Theory]
    [InlineData(5)]
    [InlineData(long.MaxValue)]
    public void The_highest_number_stays_after_all_events_are_deleted(long to)
    {
        Write("a", 1, "1", "2", "3", "4", "5");
        Delete("a", to);
        (var events, var highest) = Replay("a");
        Assert.Empty(events);
        Assert.Equal(5, highest);
        Write("a", 6, "6");
        Assert.Equal(6, Replay("a").Highest);
    }

    [Fact]
    public void Events_of_one_atomic_write_are_all_there()
    {
        WriteTogether("a", 1, "1", "2", "3");
        Assert.Equal(["1", "2", "3"], Replay("a").Events.Select(e => e.Payload));
    }

    [Fact]
    public void An_event_that_cannot_be_serialized_rejects_its_write_and_no_other()
    {
        var probe = CreateTestProbe();
        AtomicWrite[] writes =
        [
            new(Representation("a", 1, "1")),
            new(Representation("a", 2, new Broken())),
            new(Representation("b", 1, "2")),
        ];
        Journal.Tell(new WriteMessages(writes, probe, 1), probe);
        probe.ExpectMsg<WriteMessagesSuccessful>(Soon);
        probe.ExpectMsg<WriteMessageSuccess>(Soon);
        Assert.IsType<Broken>(probe.ExpectMsg<WriteMessageRejected>(Soon).Persistent.Payload);
        probe.ExpectMsg<WriteMessageSuccess>(Soon);
        Assert.Equal(["1"], Replay("a").Events.Select(e => e.Payload));
        Assert.Equal(["2"], Replay("b").Events.Select(e => e.Payload));
    }

    [Fact]
    public void An_event_keeps_its_writer_and_gets_the_time_of_its_commit()
    {
        var before = DateTime.UtcNow.AddSeconds(-1);
        Write("a", 1, "1");
        var stored = Assert.Single(Replay("a").Events);
        Assert.Equal("writer-1", stored.WriterGuid);
        Assert.InRange(stored.Timestamp, before.Ticks, DateTime.UtcNow.AddSeconds(1).Ticks);
        Assert.False(stored.IsDeleted);
    }

    [Fact]
    public void A_long_history_is_replayed_whole_and_in_order()
    {
        const int count = 5_000;
        for (var i = 1; i <= count; i += 500)
            WriteTogether("a", i, [.. Enumerable.Range(i, 500).Select(n => (object)$"{n}")]);
        Assert.Equal(Enumerable.Range(1, count).Select(n => $"{n}"), Replay("a").Events.Select(e => (string)e.Payload));
    }

    [Fact]
    public async Task The_journal_and_the_snapshot_store_answer_Akkas_health_checks()
    {
        var journal = await Plugins.CheckJournalHealthAsync("akka.persistence.journal.pipeline");
        var snapshots = await Plugins.CheckSnapshotStoreHealthAsync("akka.persistence.snapshot-store.pipeline");
        Assert.Equal(
            (PersistenceHealthStatus.Healthy, PersistenceHealthStatus.Healthy),
            (journal.Status, snapshots.Status)
        );
    }

    /// <summary>Its serializer throws.</summary>
    public sealed class Broken
    {
        /// <summary>Cannot be read.</summary>
        public string Text => throw new NotSupportedException("this event has no form");
    }
}

public sealed class EmbeddedJournalTests() : JournalTests(SpecPlace.Embedded());

[Collection(SpecServer.Collection)]
public sealed class RemoteJournalTests() : JournalTests(SpecPlace.Remote());
