using Xunit;

namespace Pipeline.Storage.Tests.Paging;

public sealed class ReaderTableTests
{
    /// <summary>
    /// Regression: before the first reader came, the writer's slot was not checked, and pages were freed while the
    /// writer copied from them.
    /// </summary>
    [Fact]
    public void The_writer_is_seen_before_there_are_readers()
    {
        using var table = new ReaderTable(4);
        var slot = table.ClaimWriter();
        table.Enter(slot, 7);
        Assert.Equal(7, table.OldestSnapshot(100));
        var epoch = table.AdvanceEpoch();
        Assert.True(table.OldestEpoch() <= epoch, "what the writer may still reach would be freed");
        Assert.Equal(1, table.CopySnapshots(stackalloc long[4]));
        table.Leave(slot);
        Assert.Equal(100, table.OldestSnapshot(100));
        Assert.True(table.OldestEpoch() > epoch);
    }
}
