using Xunit;

namespace Pipeline.CrashTests.Storage;

/// <summary>The history checker accepts a valid history and detects each kind of violation.</summary>
public sealed class HistoryCheckTests
{
    private static History Two(HistoryWrite? second = null, HistorySnapshot? snapshot = null)
    {
        var history = new History();
        history.Add(new HistoryWrite(1, 5, [(0, 0)], [0], Started: 10, Ended: 20));
        history.Add(second ?? new HistoryWrite(2, 6, [(0, 1)], [1], Started: 30, Ended: 40));
        if (snapshot is not null)
            history.Add(snapshot);
        return history;
    }

    [Fact]
    public void A_history_with_an_order_is_right() =>
        Assert.Null(Two(snapshot: new HistorySnapshot(1, 5, [1, 0], 25)).Check(2));

    [Fact]
    public void A_lost_update_is_found() =>
        Assert.Contains(
            "was the last there",
            Two(new HistoryWrite(2, 6, [(0, 0)], [0], 30, 40)).Check(2),
            StringComparison.Ordinal
        );

    [Fact]
    public void A_lost_write_is_found() =>
        Assert.Contains(
            "missing or was done twice",
            Two(new HistoryWrite(3, 6, [], [0], 30, 40)).Check(2),
            StringComparison.Ordinal
        );

    [Fact]
    public void An_order_against_time_is_found() =>
        Assert.Contains(
            "was acknowledged before",
            Two(new HistoryWrite(2, 6, [], [0], 1, 5)).Check(2),
            StringComparison.Ordinal
        );

    [Fact]
    public void A_torn_snapshot_is_found() =>
        Assert.Contains(
            "shows key 0",
            Two(snapshot: new HistorySnapshot(2, 6, [0, 2], 45)).Check(2),
            StringComparison.Ordinal
        );

    [Fact]
    public void Half_a_transaction_is_found() =>
        Assert.Contains(
            "does not show write 2",
            Two(new HistoryWrite(2, 5, [], [1], 30, 40), new HistorySnapshot(1, 5, [1, 0], 15)).Check(2),
            StringComparison.Ordinal
        );

    [Fact]
    public void A_stale_snapshot_is_found() =>
        Assert.Contains(
            "was acknowledged before it was opened",
            Two(snapshot: new HistorySnapshot(1, 5, [1, 0], 45)).Check(2),
            StringComparison.Ordinal
        );
}
