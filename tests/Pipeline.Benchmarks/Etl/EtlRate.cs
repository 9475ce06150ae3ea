using System.Text;
using Pipeline.Database;
using Pipeline.Etl.Runner;
using Pipeline.Subscriptions;

namespace Pipeline.Benchmarks.Etl;

/// <summary>Documents a second from the change feed through a C# transform to a target, one task.</summary>
/// <remarks>As in the plain loops, connecting, the first messages and making the input are outside the clock.</remarks>
internal static class EtlRate
{
    /// <summary>Messages that go before the clock starts.</summary>
    public const int Warmup = 2_000;

    /// <summary>
    /// From a backlog, or live: then the documents are stored while the task runs, and the clock starts with the first.
    /// </summary>
    public static async Task<double> RunAsync(
        MessageDocuments documents,
        int messages,
        bool timed,
        string peer,
        string target,
        string destination,
        bool live = false,
        string? transform = null,
        string more = ""
    )
    {
        await using var bench = new TaskBench(target, destination, transform: transform, more: more);
        var database = bench.Database;
        var feed = new GatedFeed(new DatabaseChangeFeed(database));
        await StoreAsync(database, documents, 0, Warmup);
        await using var host = new EtlHost(bench.Plan, feed);
        host.Start();
        await host.DrainAsync(database.LastPosition, CancellationToken.None);
        if (!live)
        {
            feed.Close();
            await StoreAsync(database, documents, Warmup, messages);
        }

        var clock = new Clock();
        var allocated = GC.GetTotalAllocatedBytes();
        if (live)
            await StoreAsync(database, documents, Warmup, messages);
        else
            feed.Open();
        if (!await host.DrainAsync(database.LastPosition, CancellationToken.None))
            throw new BenchmarkException("the task failed");
        var (seconds, cpu) = (clock.Seconds, clock.CpuSeconds);
        var status = host.GetStatus().Single();
        if (status.MessagesSent != Warmup + messages || status.DeadLetters != 0)
        {
            throw new BenchmarkException(
                $"{status.MessagesSent} messages and {status.DeadLetters} dead letters of {Warmup + messages}"
            );
        }

        if (!timed)
            return messages / seconds;
        Report.Figure($"ETL-{documents.Name}", peer, "rate", messages / seconds, "1/s");
        Report.Figure($"ETL-{documents.Name}", peer, "cpu", cpu / messages * 1e6, "us/msg");
        Report.Figure(
            $"ETL-{documents.Name}",
            peer,
            "allocated",
            (GC.GetTotalAllocatedBytes() - allocated) / (double)messages,
            "B/msg"
        );
        return messages / seconds;
    }

    private static async Task StoreAsync(DocumentDatabase database, MessageDocuments documents, int from, int count)
    {
        await using var bulk = database.BeginBulkInsert();
        for (var i = from; i < from + count; i++)
        {
            var body = Encoding.UTF8.GetString(documents.Body(i));
            await bulk.StoreAsync(
                documents.Id(i),
                Encoding.UTF8.GetBytes($"{{\"@metadata\":{{\"@collection\":\"Documents\"}},{body.AsSpan(1)}")
            );
        }

        await bulk.CompleteAsync();
    }
}
