using Pipeline.TestKit.Cluster;
using Xunit;

namespace Pipeline.Cluster.Tests.Log;

/// <summary>
/// The log in memory keeps the contract without faults, and each of its faults happens when asked for.
/// </summary>
#pragma warning disable CA1001 // The base class disposes the log, asynchronously.
public sealed class MemoryLogTests : SharedLogContract
{
    private readonly MemoryLog _log = new() { MaxRecordBytes = 1000 };

    protected override Task<ISharedLog> OpenAsync(int maxRecordBytes) => Task.FromResult<ISharedLog>(_log);

    [Fact]
    public async Task Faults_happen_and_replay_from_their_seed()
    {
        var faults = new MemoryLogFaults(7)
        {
            Delay = 0.2,
            Loss = 0.1,
            NoAnswer = 0.2,
            Duplicate = 0.2,
            Lie = 0.2,
            Landing = 0.3,
        };
        var (answers, landed) = await RunAsync(faults);
        var (again, landedAgain) = await RunAsync(faults);
        Assert.Equal(answers, again);
        Assert.Equal(landed, landedAgain);

        var copies = Enumerable.Range(0, 100).Select(i => landed.Count(b => b == i)).ToList();
        Assert.Contains(0, copies);
        Assert.Contains(2, copies);
        Assert.Contains(answers, a => a.Outcome == AppendOutcome.Unknown);
        Assert.Contains(Enumerable.Range(0, 100), i => answers[i].Outcome == AppendOutcome.Unknown && copies[i] > 0);
        Assert.Contains(
            Enumerable.Range(0, 100),
            i =>
                answers[i].Outcome == AppendOutcome.At && landed[(int)Math.Min(answers[i].Place, landed.Count - 1)] != i
        );
        Assert.NotEqual(landed.Order(), landed);
    }

    [Fact]
    public async Task A_lost_tail_is_seen_by_who_had_read_it()
    {
        for (var i = 0; i < 5; i++)
            await _log.AppendAsync(new byte[] { (byte)i }, i);
        _log.LoseTail(2);
        var refused = await Assert.ThrowsAsync<LogTruncatedException>(async () =>
            await _log.ReadAsync(5, 1, TimeSpan.Zero)
        );
        Assert.Equal(3, refused.End);
    }

    private static async Task<(List<AppendAnswer> Answers, List<byte> Landed)> RunAsync(MemoryLogFaults faults)
    {
        await using var log = new MemoryLog(faults);
        var answers = new List<AppendAnswer>();
        for (var i = 0; i < 100; i++)
            answers.Add(await log.AppendAsync(new[] { (byte)i }, i));
        log.LandAll();
        Assert.Equal(0, log.Late);
        return (answers, [.. (await log.ReadAsync(0, int.MaxValue, TimeSpan.Zero)).Records.Select(r => r.Span[0])]);
    }
}
