using Pipeline.Cluster.Tests.Log;
using Pipeline.Database.Indexes;
using Xunit;

namespace Pipeline.Cluster.Tests.Database;

/// <content>Nodes that are filled from a peer, and indexes that are built anew.</content>
public sealed partial class DatabaseReplicationTests
{
    [Fact]
    public async Task A_node_whose_disk_is_lost_is_filled_with_its_indexes_while_others_write()
    {
        await using var log = new MemoryLog();
        await using var cluster = new DatabaseCluster(log);
        await PrepareAsync(cluster);
        var client = new RandomOperations(cluster, 1, 1, Late);
        await client.RunAsync(200);
        await cluster.CompareAsync(Late);
        var lost = cluster.Members.First(m => !m.Database.Leads);
        var peer = cluster.Members.First(m => m != lost);
        var writing = client.RunAsync(100);
        await lost.RefillAsync(peer, Late);
        // Built anew, it would have read the log or the documents from the start.
        Assert.NotEqual(0, lost.Database.Indexes.Get("things")!.Position);
        await writing;
        await cluster.CompareAsync(Late);
        client.Verify(lost);
        foreach (var member in cluster.Members)
            Assert.True((await member.CheckAsync()).IsSound);
    }

    [Fact]
    public async Task An_index_that_missed_purged_deletions_is_built_anew_while_the_node_runs()
    {
        await using var log = new MemoryLog();
        await using var cluster = new DatabaseCluster(log);
        await PutIndexAsync(cluster);
        var follower = cluster.Members.First(m => !m.Database.Leads);
        // Twice, as the second copy lies where the first one was; and across a restart.
        for (var round = 0; round < 2; round++)
        {
            await PutThingsAsync(cluster, 20);
            await cluster.CompareAsync(Late);
            var turns = follower.Database.Indexes.Turns;
            await turns.EnterAsync(IndexPriority.High, Late);
            for (var i = 0; i < 10; i++)
            {
                var id = $"things/{i}";
                await cluster.DoAsync(m => m.Database.DeleteAsync(id, ct: Late), Late);
            }
            await PutThingsAsync(cluster, 0);
            // A purge goes as far as the one before might have gone.
            await PurgeAsync(cluster);
            await PutThingsAsync(cluster, 0);
            Assert.True(await PurgeAsync(cluster) > 0);
            await PutThingsAsync(cluster, 0);
            await follower.Database.WaitForPositionAsync((await cluster.LeaderAsync(Late)).Database.LastPosition, Late);
            turns.Leave();
            await cluster.CompareAsync(Late);
            Assert.Equal(
                round + 1,
                follower.Lines.Count(l => l.Contains("It is built anew", StringComparison.Ordinal))
            );
            Assert.Equal(IndexState.Normal, follower.Database.Indexes.Get("things")!.State);
            await follower.RestartAsync();
            await cluster.CompareAsync(Late);
        }
    }

    private Task<long> PurgeAsync(DatabaseCluster cluster) =>
        cluster.DoAsync(
            async m =>
            {
                await m.Database.Indexes.WaitAsync("things", ct: Late);
                return await m.Database.Consumers.PurgeAsync(Late);
            },
            Late
        );

    /// <summary>Puts some things, and one that is not deleted.</summary>
    private async Task PutThingsAsync(DatabaseCluster cluster, int count)
    {
        foreach (var id in Enumerable.Range(0, count).Select(i => $"things/{i}").Append("things/last"))
        {
            await cluster.DoAsync(
                m => m.Database.PutAsync(id, "{\"N\":1,\"@metadata\":{\"@collection\":\"Things\"}}"u8.ToArray()),
                Late
            );
        }
    }

    /// <summary>Trims the log as far as all nodes have it on disk; then one loses its disk.</summary>
    private async Task RefillAsync(DatabaseCluster cluster, MemoryLog log, Random random)
    {
        var place = cluster.Members.Min(m => m.Driver.Status.Place);
        foreach (var member in cluster.Members)
            member.Database.Storage.Flush();
        while (cluster.Members.Any(m => m.Driver.KeptPlace < place - 100))
        {
            Late.ThrowIfCancellationRequested();
            await Task.Yield();
        }
        var bounds = await log.GetBoundsAsync(Late);
        await log.TrimAsync(Math.Max(bounds.First, cluster.Members.Min(m => m.Driver.KeptPlace) - 1), Late);
        var lost = cluster.Members[random.Next(3)];
        var others = cluster.Members.Where(m => m != lost).ToList();
        await lost.RefillAsync(others[random.Next(2)], Late);
    }
}
