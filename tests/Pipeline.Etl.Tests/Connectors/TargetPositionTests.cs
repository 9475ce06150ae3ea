using Pipeline.Etl.Connectors;
using Xunit;

namespace Pipeline.Etl.Tests.Connectors;

public sealed class TargetPositionTests
{
    [Fact]
    public void A_target_has_a_batch_whose_position_it_stores()
    {
        var stored = new TargetPosition(20);
        Assert.True(stored.HasAll(Batch(20, 19, 20)));
        Assert.False(stored.HasAll(Batch(21, 19, 21)));
    }

    [Fact]
    public void A_target_without_a_position_has_nothing()
    {
        var none = TargetPosition.Of(null);
        Assert.False(none.HasAll(Batch(0)));
        Assert.Equal([1, 2], none.TakeOut(Batch(2, 1, 2)).Messages.Select(m => m.Position));
        Assert.Equal(7, none.Begin(7, rereads: false));
    }

    [Fact]
    public void Messages_that_are_resent_on_purpose_are_never_dropped()
    {
        var resent = Batch(20, 3, 4) with { LeavesPosition = true };
        Assert.False(new TargetPosition(20).HasAll(resent));
        Assert.Same(resent, new TargetPosition(20).TakeOut(resent));
    }

    [Fact]
    public void Of_a_batch_that_the_target_has_in_part_the_rest_is_sent()
    {
        var batch = Batch(21, 19, 20, 20, 21);
        Assert.Equal([21], new TargetPosition(20).TakeOut(batch).Messages.Select(m => m.Position));
        Assert.Same(batch, new TargetPosition(18).TakeOut(batch));
        Assert.Equal(21, new TargetPosition(20).TakeOut(batch).Position);
    }

    [Fact]
    public void A_run_begins_at_the_later_position_unless_it_must_reread()
    {
        Assert.Equal(20, new TargetPosition(20).Begin(7, rereads: false));
        Assert.Equal(7, new TargetPosition(20).Begin(7, rereads: true));
        Assert.Equal(30, new TargetPosition(20).Begin(30, rereads: false));
    }

    private static MessageBatch Batch(long position, params long[] changes) =>
        new([.. changes.Select(Message)], position);

    private static OutgoingMessage Message(long position) =>
        new()
        {
            Destination = "out",
            Id = $"m{position}",
            Source = "s",
            Type = "t",
            Subject = "d/1",
            Time = default,
            Body = default,
            Position = position,
        };
}
