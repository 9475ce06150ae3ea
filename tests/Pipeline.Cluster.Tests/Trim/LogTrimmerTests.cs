using Pipeline.Cluster.Tests.Driver;
using Pipeline.Cluster.Tests.Log;
using Pipeline.Storage;
using Xunit;

namespace Pipeline.Cluster.Tests.Trim;

/// <summary>The holders of the log lie in the replicated store, and the log is trimmed behind them.</summary>
public sealed class LogTrimmerTests : IDisposable
{
    private static readonly string[] Names = ["n1", "n2"];
    private static readonly TrimOptions Options = new() { KeepRecords = 0, Step = 5 };
    private readonly CancellationTokenSource _late = new(TimeSpan.FromSeconds(60));

    private CancellationToken Late => _late.Token;

    public void Dispose() => _late.Dispose();

    [Fact]
    public async Task The_log_is_trimmed_behind_what_all_members_have_on_their_disks()
    {
        await using var log = new MemoryLog();
        await using var cluster = new DriverCluster(Names, _ => log);
        for (var i = 0; i < 50; i++)
            await cluster.WriteAsync(i, Late);
        await cluster.EqualAsync(Late);
        foreach (var member in cluster.Members)
        {
            member.Store.Flush();
            while (member.Driver.KeptPlace < 40)
            {
                Late.ThrowIfCancellationRequested();
                await Task.Yield();
            }
        }
        var leader = await cluster.LeaderAsync(Late);
        var trimmer = Of(leader, log);
        Assert.Equal(0, await TrimAsync(trimmer, log));
        var kept = cluster.Members.ToDictionary(m => m.Name, m => m.Driver.KeptPlace);
        foreach (var (name, place) in kept)
            Assert.True(await trimmer.ReportAsync(LogHolderKind.Member, name, place, Late));
        // Nothing new is worth no transaction.
        Assert.False(await trimmer.ReportAsync(LogHolderKind.Member, "n1", kept["n1"], Late));
        Assert.Equal(kept.Values.Min() - 1, await TrimAsync(trimmer, log));
        Assert.Equal(kept.Values.Min() - 1, (await log.GetBoundsAsync(Late)).First);
        await cluster.WriteAsync(99, Late);
        await cluster.EqualAsync(Late);
        Assert.All(cluster.Members, m => Assert.Equal(NodeStop.None, m.Driver.Status.Stop));

        // The next leader knows them, too.
        var other = Of(cluster.Members.First(m => m != leader), log);
        Assert.Equal(kept, other.List().ToDictionary(h => h.Name, h => h.Place));
        await Assert.ThrowsAsync<NotLeaderException>(() => other.ReportAsync(LogHolderKind.Backup, "nightly", 0, Late));
        // Each run of a backup counts, however little it adds: its time says how long it holds the log.
        Assert.True(await trimmer.ReportAsync(LogHolderKind.Backup, "nightly", 7, Late));
        Assert.True(await trimmer.ReportAsync(LogHolderKind.Backup, "nightly", 7, Late));
        Assert.True(await trimmer.RemoveAsync(LogHolderKind.Backup, "nightly", Late));
        Assert.True(await trimmer.RemoveAsync(LogHolderKind.Member, "n2", Late));
        Assert.False(await trimmer.RemoveAsync(LogHolderKind.Member, "n2", Late));
        Assert.Single(trimmer.List());
    }

    [Fact]
    public async Task Beats_alone_move_the_place_that_a_node_needs()
    {
        await using var log = new MemoryLog();
        await using var cluster = new DriverCluster(Names, _ => log);
        await cluster.WriteAsync(1, Late);
        await cluster.EqualAsync(Late);
        foreach (var member in cluster.Members)
            member.Store.Flush();
        while (cluster.Members.Any(m => m.Driver.KeptPlace < 60))
        {
            Late.ThrowIfCancellationRequested();
            await Task.Yield();
        }
    }

    [Fact]
    public async Task What_was_reported_of_another_log_holds_nothing_and_counts_for_no_copy()
    {
        await using var log = new MemoryLog();
        await using var cluster = new DriverCluster(Names, _ => log);
        for (var i = 0; i < 20; i++)
            await cluster.WriteAsync(i, Late);
        var leader = await cluster.LeaderAsync(Late);
        var before = Of(leader, log);
        foreach (var name in Names)
            await before.ReportAsync(LogHolderKind.Member, name, 1_000_000, Late);
        var here = Of(leader, log, default(Chain).Append("begun"u8));
        Assert.Empty(here.List());
        Assert.Equal(0, await TrimAsync(here, log));
        Assert.True(await here.ReportAsync(LogHolderKind.Member, "n1", 7, Late));
        Assert.Equal(7, Assert.Single(here.List()).Place);
        Assert.Equal("n2", Assert.Single(before.List()).Name);
    }

    private async Task<long> TrimAsync(LogTrimmer trimmer, MemoryLog log) =>
        (
            await trimmer.TrimAsync(
                await log.GetBoundsAsync(Late),
                trimmer.List(),
                TimeProvider.System.GetUtcNow(),
                Late
            )
        ).First;

    private static LogTrimmer Of(DriverMember member, ISharedLog log, Chain origin = default) =>
        new(member.Store, log, Options, TimeProvider.System, () => origin);
}
