using System.Text;
using Pipeline.Cluster;
using Pipeline.Hosting;
using Pipeline.Storage;
using Pipeline.TestKit.Files;
using Pipeline.WorkerKit.Cluster;
using Xunit;

namespace Pipeline.Worker.Tests.Cluster;

/// <summary>A node gives a copy while more is written than it keeps of its journal.</summary>
public sealed class CopyLimitTests
{
    [Fact]
    public async Task A_copy_during_which_too_much_is_written_ends_with_the_reason_and_the_next_one_is_whole()
    {
        await using var cluster = await WorkerCluster.StartAsync(1, database: ", keptJournalBytes: 67108864");
        var leader = await cluster.LeaderAsync();
        // More than sockets hold that nobody reads.
        for (var i = 0; i < 10; i++)
            await WriteAsync(leader, i);
        using var folder = new TestFolder();
        var options = new StorageOptions { Path = folder["n2"], IsReplica = true };
        using (var answer = await AskAsync(cluster, leader))
        {
            Assert.NotEmpty(leader.Database.Storage.LogHolds);
            for (var i = 0; leader.Database.Storage.LogHolds.Count > 0; i++)
            {
                await WriteAsync(leader, i % 10);
                leader.Database.Storage.Flush();
            }
            var failed = await Assert.ThrowsAsync<CopyFailedException>(() => ReceiveAsync(answer, options));
            Assert.Contains(
                "more than 67108864 bytes of journal were written during the copy (database.keptJournalBytes)",
                failed.Reason,
                StringComparison.Ordinal
            );
        }
        await cluster.UntilAsync(
            () =>
                cluster.Lines.Lines.Any(l => l.Contains("the copy of n1 for n2 ended after", StringComparison.Ordinal)),
            "the node does not say that its copy ended"
        );
        Assert.True((await leader.CheckReadyAsync()).IsReady);

        using var again = await AskAsync(cluster, leader);
        var position = await ReceiveAsync(again, options);
        Assert.Equal(leader.Database.Storage.LastCommittedTransaction, position.State.Transaction - 1);
    }

    private static async Task<HttpResponseMessage> AskAsync(WorkerCluster cluster, PipelineWorker worker)
    {
        var answer = await cluster.Http.GetAsync(
            WorkerCluster.Url(worker, "/cluster/copy?node=n2"),
            HttpCompletionOption.ResponseHeadersRead
        );
        answer.EnsureSuccessStatusCode();
        return answer;
    }

    private static async Task<ReadPosition> ReceiveAsync(HttpResponseMessage answer, StorageOptions options) =>
        await CopyStream.ReceiveAsync(await answer.Content.ReadAsStreamAsync(), options);

    private static Task WriteAsync(PipelineWorker leader, int seed)
    {
        var random = new Random(seed);
        var bytes = new byte[32 << 10];
        return leader.Database.WriteAsync(t =>
        {
            for (var i = 0; i < 48; i++)
            {
                random.NextBytes(bytes);
                t.Put($"texts/{seed}-{i}", Encoding.UTF8.GetBytes($$"""{"Text":"{{Convert.ToHexString(bytes)}}"}"""));
            }
        });
    }
}
