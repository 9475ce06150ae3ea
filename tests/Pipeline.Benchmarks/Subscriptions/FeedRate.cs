using System.Buffers;
using System.IO.Compression;
using System.Text.Json.Nodes;
using Pipeline.Benchmarks.Etl;
using Pipeline.Subscriptions;

namespace Pipeline.Benchmarks.Subscriptions;

/// <summary>
/// Documents a second from the making of a subscription to the durable acknowledgement of its last batch; with
/// <c>json</c> a worker that writes each as JSON text.
/// </summary>
internal static class FeedRate
{
    private const int BatchCount = 1_000;

    public static async Task<double> RunAsync(
        string workload,
        MessageDocuments documents,
        int messages,
        bool json,
        bool timed
    )
    {
        await using var fixture = new FeedFixture();
        await fixture.StoreAsync(documents, messages);
        return await TakeAsync(fixture, workload, messages, json, timed, timed ? null : documents);
    }

    public static async Task RunCitiesAsync(string file, bool json, bool timed)
    {
        await using var fixture = new FeedFixture();
        var count = 0;
        await using (var bulk = fixture.Database.BeginBulkInsert())
        {
            using var reader = new StreamReader(new GZipStream(File.OpenRead(file), CompressionMode.Decompress));
            for (; await reader.ReadLineAsync() is { } line; count++)
                await bulk.StoreAsync(null, System.Text.Encoding.UTF8.GetBytes(line));
            await bulk.CompleteAsync();
        }

        await TakeAsync(fixture, "SUB-cities", count, json, timed, null);
    }

    private static async Task<double> TakeAsync(
        FeedFixture fixture,
        string workload,
        int count,
        bool json,
        bool timed,
        MessageDocuments? expected
    )
    {
        GC.Collect();
        var (taken, bytes) = (0, 0L);
        var text = new ArrayBufferWriter<byte>(1 << 16);
        var allocated = GC.GetTotalAllocatedBytes(precise: true);
        var clock = new Clock();
        await fixture.Host.CreateAsync(new SubscriptionDefinition { Name = "s" });
        await using (
            var worker = await fixture.Host.ConnectAsync(
                "s",
                new SubscriptionWorkerOptions { MaxBatchCount = BatchCount }
            )
        )
        {
            while (taken < count && await worker.NextAsync() is { } batch)
            {
                for (var i = 0; i < batch.Count; i++)
                {
                    var body = batch[i].Body;
                    if (json)
                    {
                        text.ResetWrittenCount();
                        body.WriteTo(text);
                        bytes += text.WrittenCount;
                        if (
                            expected is not null
                            && !JsonNode.DeepEquals(
                                JsonNode.Parse(text.WrittenSpan),
                                JsonNode.Parse(expected.Body(taken + i))
                            )
                        )
                        {
                            throw new BenchmarkException($"document {taken + i} differs from the one stored");
                        }
                    }
                    else
                    {
                        bytes += body.Data.Length;
                    }
                }

                taken += batch.Count;
                await batch.AcknowledgeAsync();
            }
        }

        var (seconds, cpu) = (clock.Seconds, clock.CpuSeconds);
        allocated = GC.GetTotalAllocatedBytes(precise: true) - allocated;
        if (taken != count || fixture.Host.GetStatus("s")[0].Position != fixture.Database.LastPosition)
            throw new BenchmarkException($"{taken} documents of {count}");
        if (!timed)
            return count / seconds;
        var peer = json ? "pipeline-json" : "pipeline";
        Report.Figure(workload, peer, "rate", count / seconds, "1/s");
        Report.Figure(workload, peer, "bytes", bytes / seconds / 1e6, "MB/s");
        Report.Figure(workload, peer, "cpu", cpu / count * 1e6, "us/doc");
        Report.Figure(workload, peer, "allocated", allocated / (double)count, "B/doc");
        return count / seconds;
    }
}
