using System.Net;
using Pipeline.Cluster;
using Pipeline.Storage;
using Pipeline.WorkerKit.Cluster;
using Xunit;

namespace Pipeline.Worker.Tests.Cluster;

/// <summary>A leader that stops while its log confirms nothing.</summary>
public sealed class SilentLogTests
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(40);

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task It_stops_though_writes_wait_for_the_log(bool inOrder)
    {
        await using var cluster = await WorkerCluster.StartAsync(
            1,
            """
            connections: { files: { files: { directory: ./out } } }
            etl: [ { name: orders, from: [Orders], to: files, transform: 'send("orders", new { Id = id }, key: id);' } ]
            """,
            log: ", trim: { every: 20ms, keepRecords: 1 }"
        );
        var node = await cluster.LeaderAsync();
        Assert.Equal(HttpStatusCode.Created, await cluster.PutAsync(node, "orders/1", 1));
        await cluster.UntilAsync(() => File.Exists(cluster.Folder["out/orders.jsonl"]), "nothing was sent");

        var log = new DirectoryLogFolder(cluster.Folder["log"], new DirectoryLogOptions());
        Task stopping;
        using (await log.LockAsync(CancellationToken.None))
        {
            // Its caller waits for the log, and so do the task's progress and the node's report for the trim.
            var writing = node.Database.WriteAsync(t => t.Delete("orders/1"));
            stopping = inOrder ? cluster.StopAsync("n1") : cluster.KillAsync("n1");
            var lost = await Assert.ThrowsAsync<NotAcceptedException>(() => writing.WaitAsync(Patience));
            Assert.Equal(CommitOutcome.Unknown, lost.Outcome);
        }
        await stopping.WaitAsync(Patience);
        Assert.Contains(cluster.Lines.Lines, l => l.Contains("n1 stops without the log", StringComparison.Ordinal));

        // The log decides what became of the write.
        await cluster.StartAsync("n1");
        node = await cluster.LeaderAsync();
        Assert.Equal(HttpStatusCode.Created, await cluster.PutAsync(node, "orders/2", 2));
    }
}
