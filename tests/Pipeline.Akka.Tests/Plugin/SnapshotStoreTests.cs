using Akka.Actor;
using Akka.Configuration;
using Akka.Persistence;
using Akka.TestKit;
using Xunit;

namespace Pipeline.Akka.Tests.Plugin;

/// <summary>Akka.Persistence's requirements for a snapshot store.</summary>
/// <param name="place">Where snapshots are kept.</param>
public abstract class SnapshotStoreTests(Config place) : PluginTest(place)
{
    private static readonly DateTime Noon = new(2026, 1, 31, 12, 0, 0, DateTimeKind.Utc);

    [Fact]
    public void The_newest_snapshot_is_loaded()
    {
        SaveFive("a");
        var found = Load("a", SnapshotSelectionCriteria.Latest);
        Assert.Equal(
            ("s5", 5L, Noon.AddMinutes(5)),
            ((string)found!.Snapshot, found.Metadata.SequenceNr, found.Metadata.Timestamp)
        );
    }

    [Theory]
    [InlineData(3, 9, long.MaxValue, "s3")]
    [InlineData(long.MaxValue, 9, 2, "s2")]
    [InlineData(5, 2, long.MaxValue, "s2")]
    [InlineData(1, 9, long.MaxValue, "s1")]
    [InlineData(0, 9, long.MaxValue, null)]
    [InlineData(5, 0, long.MaxValue, null)]
    [InlineData(5, 9, 0, null)]
    public void Bounds_choose_the_newest_that_matches(long number, int minutes, long to, string? expected)
    {
        SaveFive("a");
        Assert.Equal(
            expected,
            Load("a", new SnapshotSelectionCriteria(number, Noon.AddMinutes(minutes)), to)?.Snapshot
        );
    }

    [Fact]
    public void A_persistence_id_without_snapshots_has_none()
    {
        SaveFive("a");
        Assert.Null(Load("nobody", SnapshotSelectionCriteria.Latest));
        Assert.Null(Load("a", SnapshotSelectionCriteria.None));
    }

    [Theory]
    [InlineData(5, true)]
    [InlineData(null, true)]
    [InlineData(4, false)]
    public void One_snapshot_is_deleted_by_its_number_and_its_time_where_one_is_given(int? minutes, bool deleted)
    {
        SaveFive("a");
        var probe = CreateTestProbe();
        Snapshots.Tell(
            new DeleteSnapshot(new SnapshotMetadata("a", 5, minutes is { } m ? Noon.AddMinutes(m) : DateTime.MinValue)),
            probe
        );
        probe.ExpectMsg<DeleteSnapshotSuccess>(Soon);
        Assert.Equal(deleted ? "s4" : "s5", Load("a", SnapshotSelectionCriteria.Latest)!.Snapshot);
    }

    [Theory]
    [InlineData(3, 9, "s4 s5")]
    [InlineData(5, 2, "s3 s4 s5")]
    [InlineData(2, 4, "s3 s4 s5")]
    [InlineData(long.MaxValue, 9, "")]
    [InlineData(5, 0, "s1 s2 s3 s4 s5")]
    public void Snapshots_are_deleted_up_to_bounds(long number, int minutes, string kept)
    {
        SaveFive("a");
        Save("b", 1, "other");
        var probe = CreateTestProbe();
        Snapshots.Tell(
            new DeleteSnapshots("a", new SnapshotSelectionCriteria(number, Noon.AddMinutes(minutes))),
            probe
        );
        probe.ExpectMsg<DeleteSnapshotsSuccess>(Soon);
        Assert.Equal("other", Load("b", SnapshotSelectionCriteria.Latest)!.Snapshot);
        Assert.Equal(
            kept,
            string.Join(
                ' ',
                Enumerable
                    .Range(1, 5)
                    .Select(n => Load("a", new SnapshotSelectionCriteria(n, DateTime.MaxValue, n, null))?.Snapshot)
                    .OfType<string>()
            )
        );
    }

    [Fact]
    public void A_snapshot_of_the_same_number_replaces_the_one_before()
    {
        SaveFive("a");
        Save("a", 5, "again", Noon.AddMinutes(7));
        Assert.Equal("again", Load("a", SnapshotSelectionCriteria.Latest)!.Snapshot);
        var probe = CreateTestProbe();
        Snapshots.Tell(new DeleteSnapshot(new SnapshotMetadata("a", 5, DateTime.MinValue)), probe);
        probe.ExpectMsg<DeleteSnapshotSuccess>(Soon);
        Assert.Equal("s4", Load("a", SnapshotSelectionCriteria.Latest)!.Snapshot);
    }

    [Fact]
    public void A_snapshot_may_have_megabytes()
    {
        var bytes = new byte[4_000_000];
        new Random(21).NextBytes(bytes);
        Save("a", 1, bytes);
        Assert.Equal(bytes, Load("a", SnapshotSelectionCriteria.Latest)!.Snapshot);
    }

    [Fact]
    public async Task An_actor_saves_several_snapshots_before_its_first_event_and_after_it()
    {
        var actor = Sys.ActorOf(Counter.Props("c"));
        for (var i = 0; i < 3; i++)
            Assert.Equal("saved", await actor.Ask<string>("save", Soon));
        Assert.Equal(7, await actor.Ask<int>(7, Soon));
        for (var i = 0; i < 3; i++)
            Assert.Equal("saved", await actor.Ask<string>("save", Soon));
        Assert.Equal(9, await actor.Ask<int>(2, Soon));
        Assert.True(await actor.GracefulStop(Soon));
        Assert.Equal(9, await Sys.ActorOf(Counter.Props("c")).Ask<int>("sum", Soon));
        Assert.Equal(1, Load("c", SnapshotSelectionCriteria.Latest)!.Metadata.SequenceNr);
    }

    private void SaveFive(string persistenceId)
    {
        for (var i = 1; i <= 5; i++)
            Save(persistenceId, i, $"s{i}", Noon.AddMinutes(i));
    }
}

public sealed class EmbeddedSnapshotStoreTests() : SnapshotStoreTests(SpecPlace.Embedded());

[Collection(SpecServer.Collection)]
public sealed class RemoteSnapshotStoreTests() : SnapshotStoreTests(SpecPlace.Remote());
