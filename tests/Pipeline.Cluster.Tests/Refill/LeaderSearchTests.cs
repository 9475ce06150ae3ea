using Pipeline.Cluster.Tests.Log;
using Xunit;

namespace Pipeline.Cluster.Tests.Refill;

/// <summary>A node without a store finds in the log where the leader is.</summary>
public sealed class LeaderSearchTests : IAsyncLifetime
{
    private readonly ISharedLog _log = new MemoryLog();

    public Task InitializeAsync() => Task.CompletedTask;

    public async Task DisposeAsync() => await _log.DisposeAsync();

    [Theory]
    [InlineData(0)]
    [InlineData(10)]
    [InlineData(7_000)]
    public async Task The_last_beat_with_an_address_counts_however_far_back_it_is(int entries)
    {
        await AppendAsync(LogRecord.BeatOf(LogState.Start, 1, "http://old").Bytes);
        await AppendAsync(LogRecord.BeatOf(LogState.Start, 2, "http://new").Bytes);
        await AppendAsync(LogRecord.BeatOf(LogState.Start, 3).Bytes);
        for (var i = 0; i < entries; i++)
            await AppendAsync(LogRecord.Entry(LogState.Start, "e"u8, isLast: true).Bytes);
        await AppendAsync("not ours"u8.ToArray());
        Assert.Equal("http://new", await LeaderSearch.FindAddressAsync(_log));
    }

    [Fact]
    public async Task A_log_without_an_address_has_none()
    {
        Assert.Null(await LeaderSearch.FindAddressAsync(_log));
        await AppendAsync(LogRecord.BeatOf(LogState.Start, 1, "http://gone").Bytes);
        await AppendAsync(LogRecord.Claim(LogState.Start, Guid.NewGuid(), "n1").Bytes);
        await _log.TrimAsync(1);
        Assert.Null(await LeaderSearch.FindAddressAsync(_log));
    }

    [Fact]
    public void An_address_has_a_length() =>
        Assert.Throws<ArgumentException>(() => LogRecord.BeatOf(LogState.Start, 1, new string('a', 256)));

    private async Task AppendAsync(ReadOnlyMemory<byte> record) =>
        Assert.Equal(AppendOutcome.At, (await _log.AppendAsync(record, 0)).Outcome);
}
