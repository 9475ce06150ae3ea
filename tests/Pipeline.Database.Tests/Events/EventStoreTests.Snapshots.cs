using System.Text;
using Pipeline.Documents.Events;
using Xunit;

namespace Pipeline.Database.Tests.Events;

/// <content>Snapshots of streams.</content>
public sealed partial class EventStoreTests
{
    [Fact]
    public async Task Snapshots_are_saved_found_by_criteria_and_deleted()
    {
        for (var i = 1; i <= 5; i++)
        {
            await Save("a", i * 10, $"{i}");
            _time.Advance(TimeSpan.FromMinutes(1));
        }

        await Save("b", 99, "other");
        Assert.Equal("5", Load("a", StreamSnapshotCriteria.All));
        Assert.Equal("3", Load("a", StreamSnapshotCriteria.UpTo(39)));
        Assert.Null(Load("a", StreamSnapshotCriteria.UpTo(9)));
        Assert.Equal("2", Load("a", StreamSnapshotCriteria.All with { MaxTime = _time.GetUtcNow().AddMinutes(-4) }));
        Assert.Null(Load("a", StreamSnapshotCriteria.UpTo(39) with { MinSequence = 31 }));
        await Save("a", 50, "5 again");
        Assert.Equal("5 again", Load("a", StreamSnapshotCriteria.All));
        Assert.Equal(
            2,
            await _db.WriteAsync(t =>
                t.DeleteSnapshots(
                    "a",
                    new StreamSnapshotCriteria(40, DateTimeOffset.MaxValue, 30, DateTimeOffset.MinValue)
                )
            )
        );
        Assert.Equal("2", Load("a", StreamSnapshotCriteria.UpTo(49)));
        Assert.Equal("other", Load("b", StreamSnapshotCriteria.All));
        Assert.Null(Load("none", StreamSnapshotCriteria.All));
    }

    [Fact]
    public async Task Retention_keeps_the_newest_snapshots_and_the_events_behind_the_oldest_of_them()
    {
        await Append("a", [.. Enumerable.Range(1, 10).Select(i => $"{i}")]);
        for (var i = 2; i <= 10; i += 2)
        {
            await _db.WriteAsync(t =>
                t.SaveSnapshot("a", Snapshot(i, $"{i}"), new SnapshotRetention { Keep = 2, DeleteEvents = true })
            );
        }

        Assert.Null(Load("a", StreamSnapshotCriteria.UpTo(7)));
        Assert.Equal("8", Load("a", StreamSnapshotCriteria.UpTo(8)));
        Assert.Equal(["9 a/9 9", "10 a/10 10"], Read());
    }

    private Task Save(string stream, long sequence, string payload) =>
        _db.WriteAsync(t => t.SaveSnapshot(stream, Snapshot(sequence, payload)));

    private StreamSnapshot Snapshot(long sequence, string payload) =>
        new()
        {
            SequenceNumber = sequence,
            Timestamp = _time.GetUtcNow(),
            Payload = Encoding.UTF8.GetBytes(payload),
        };

    private string? Load(string stream, StreamSnapshotCriteria criteria)
    {
        using var snapshot = _db.OpenSnapshot();
        return snapshot.LoadSnapshot(stream, criteria) is { } found
            ? Encoding.UTF8.GetString(found.Payload.Span)
            : null;
    }
}
