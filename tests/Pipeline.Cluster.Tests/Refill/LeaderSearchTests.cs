using Pipeline.Cluster.Tests.Log;
using Xunit;

namespace Pipeline.Cluster.Tests.Refill;

/// <summary>A node without a store finds in the log where the leader is.</summary>
public sealed class LeaderSearchTests
{
    [Theory]
    [InlineData(0)]
    [InlineData(10)]
    [InlineData(7_000)]
    public async Task The_last_beat_with_an_address_counts_however_far_back_it_is(int entries)
    {
        await using var log = new MemoryLog();
        await AppendAsync(log, LogRecord.BeatOf(AutomatonState.Start, 1, "http://old").Bytes);
        await AppendAsync(log, LogRecord.BeatOf(AutomatonState.Start, 2, "http://new").Bytes);
        await AppendAsync(log, LogRecord.BeatOf(AutomatonState.Start, 3).Bytes);
        for (var i = 0; i < entries; i++)
            await AppendAsync(log, LogRecord.Entry(AutomatonState.Start, "e"u8, isLast: true).Bytes);
        await AppendAsync(log, "not ours"u8.ToArray());
        Assert.Equal("http://new", await LeaderSearch.FindAddressAsync(log));
    }

    [Fact]
    public async Task A_log_without_an_address_has_none()
    {
        await using var log = new MemoryLog();
        Assert.Null(await LeaderSearch.FindAddressAsync(log));
        await AppendAsync(log, LogRecord.BeatOf(AutomatonState.Start, 1, "http://gone").Bytes);
        await AppendAsync(log, LogRecord.Claim(AutomatonState.Start, Guid.NewGuid(), "n1").Bytes);
        await log.TrimAsync(1);
        Assert.Null(await LeaderSearch.FindAddressAsync(log));
    }

    [Fact]
    public void An_address_has_a_length() =>
        Assert.Throws<ArgumentException>(() => LogRecord.BeatOf(AutomatonState.Start, 1, new string('a', 256)));

    private static async Task AppendAsync(MemoryLog log, ReadOnlyMemory<byte> record) =>
        Assert.Equal(AppendOutcome.At, (await log.AppendAsync(record, 0)).Outcome);
}
