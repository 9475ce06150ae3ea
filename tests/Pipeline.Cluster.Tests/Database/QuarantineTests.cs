using System.Text;
using Pipeline.Cluster.Tests.Log;
using Pipeline.Documents;
using Pipeline.Documents.Events;
using Pipeline.Json;
using Pipeline.Storage;
using Xunit;

namespace Pipeline.Cluster.Tests.Database;

/// <summary>A log that loses acknowledged records while other nodes write on.</summary>
public sealed class QuarantineTests : IDisposable
{
    private readonly CancellationTokenSource _late = new(TimeSpan.FromMinutes(1));

    private CancellationToken Late => _late.Token;

    public void Dispose() => _late.Dispose();

    [Fact]
    public async Task A_node_that_is_ahead_of_the_log_refuses_by_name_exports_what_only_it_has_and_is_filled_anew()
    {
        await using var log = new MemoryLog();
        await using var cluster = new DatabaseCluster(log);
        foreach (var id in new[] { "both/1", "both/2", "changed/1", "deleted/1" })
            await PutAsync(cluster, id, 1);
        await cluster.CompareAsync(Late);

        // The others have not read it yet when the log loses it.
        var ahead = await cluster.LeaderAsync(Late);
        var others = cluster.Members.Where(m => m != ahead).ToList();
        others.ForEach(o => o.IsAway = true);
        foreach (var other in others)
            await other.Driver.WaitAsync(s => s.LogProblem is not null, Late);
        var before = (int)(await log.GetBoundsAsync(Late)).End;
        await ahead.Database.PutAsync("only/1", Json(2), ct: Late);
        await ahead.Database.PutAsync("changed/1", Json(3), ct: Late);
        await ahead.Database.DeleteAsync("deleted/1", ct: Late);
        await ahead.Database.WriteAsync(t => t.PutCompareExchange("only", BinaryJson.Parse("7"u8), 0), Late);
        await ahead.Database.Events.AppendAsync("only", [new EventData { Payload = "x"u8.ToArray() }], 0, Late);
        ahead.IsAway = true;
        await ahead.Driver.WaitAsync(s => s.LogProblem is not null, Late);
        log.LoseTail((int)(await log.GetBoundsAsync(Late)).End - before);
        others.ForEach(o => o.IsAway = false);
        // Not at the old leader: it would wait for its log.
        await (await NextLeaderAsync(others)).Database.PutAsync("others/1", Json(4), ct: Late);
        ahead.IsAway = false;
        await ahead.Driver.WaitAsync(s => s.IsQuarantined, Late);

        var refused = await Assert.ThrowsAsync<QuarantinedException>(() =>
            ahead.Database.PutAsync("only/2", Json(5), ct: Late)
        );
        Assert.Contains("is quarantined: the log does not have", refused.Message, StringComparison.Ordinal);
        Assert.Throws<QuarantinedException>(() => ahead.Database.OpenNewestSnapshot());
        await Assert.ThrowsAsync<CopyRefusedException>(async () => await ahead.Driver.FindCopyPointAsync(Late));
        using (var stale = ahead.Database.OpenSnapshot())
            Assert.True(stale.TryGet("only/1", out _));

        var (lines, report) = await ahead.ExportAndRefillAsync(others[0], Late);
        Assert.Equal(2, report.Documents);
        Assert.Equal(["deleted/1"], report.Deleted);
        Assert.Contains("\"@id\":\"only/1\"", lines, StringComparison.Ordinal);
        Assert.Contains("\"@id\":\"changed/1\"", lines, StringComparison.Ordinal);
        Assert.Contains("\"@export-type\":\"CompareExchange\"", lines, StringComparison.Ordinal);
        Assert.Contains("\"SequenceNumber\":1", lines, StringComparison.Ordinal);
        Assert.DoesNotContain("both/", lines, StringComparison.Ordinal);
        Assert.DoesNotContain("others/", lines, StringComparison.Ordinal);
        await cluster.CompareAsync(Late);
        using var filled = ahead.Database.OpenSnapshot();
        Assert.False(filled.TryGet("only/1", out _));
        Assert.True(filled.TryGet("deleted/1", out _));
    }

    private async Task<DatabaseMember> NextLeaderAsync(List<DatabaseMember> others)
    {
        await Task.WhenAny(others.Select(m => m.Driver.WaitAsync(s => s.TakesWrites, Late)));
        var next = others.First(m => m.Driver.Status.TakesWrites);
        await next.Database.ReadyToWriteAsync(Late);
        return next;
    }

    private Task<PutResult> PutAsync(DatabaseCluster cluster, string id, int value) =>
        cluster.DoAsync(m => m.Database.PutAsync(id, Json(value), ct: Late), Late);

    private static byte[] Json(int value) => Encoding.UTF8.GetBytes($$"""{"N":{{value}}}""");
}
