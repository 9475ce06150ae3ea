using System.Diagnostics;
using Pipeline.Benchmarks.Etl;
using Pipeline.Subscriptions;

namespace Pipeline.Benchmarks.Subscriptions;

/// <summary>
/// The time from just before a document is handed to the database until the worker has it: the durable commit, and the
/// delivery.
/// </summary>
internal static class FeedLatency
{
    private const int Writers = 8;
    private const int PerWriter = 4_000;

    /// <summary>One document each 10 ms (M4).</summary>
    public static async Task IdleAsync(MessageDocuments documents, bool timed)
    {
        var count = timed ? SubscriptionBenchmarks.IdleMessages : SubscriptionBenchmarks.IdleMessages / 5;
        await using var fixture = new FeedFixture();
        var (sent, durable, taken) = (new long[count], new long[count], new long[count]);
        var reading = await ReadAsync(fixture, count, taken);
        var due = Stopwatch.GetTimestamp();
        for (var i = 0; i < count; i++)
        {
            var text = FeedFixture.Text(documents, i);
            Pace.Until(due += Stopwatch.Frequency / 100);
            sent[i] = Stopwatch.GetTimestamp();
            await fixture.Database.PutAsync(documents.Id(i), text);
            durable[i] = Stopwatch.GetTimestamp();
        }

        await reading;
        if (!timed)
            return;
        SubscriptionBenchmarks.ReportLatencies("M4", "pipeline", [.. taken.Zip(sent, (t, s) => t - s)]);
        SubscriptionBenchmarks.ReportLatencies("M4", "pipeline-put-alone", [.. durable.Zip(sent, (t, s) => t - s)]);
    }

    /// <summary>Eight writers, each with its next document as soon as the one before is durable.</summary>
    public static async Task LoadedAsync(MessageDocuments documents, bool timed)
    {
        await using var fixture = new FeedFixture();
        var per = timed ? PerWriter : PerWriter / 4;
        var byPosition = new long[(Writers * per) + 1];
        var taken = new long[Writers * per];
        var reading = await ReadAsync(fixture, taken.Length, taken);
        var clock = new Clock();
        await Task.WhenAll(
            Enumerable
                .Range(0, Writers)
                .Select(writer =>
                    Task.Run(async () =>
                    {
                        for (var i = 0; i < per; i++)
                        {
                            var number = (writer * per) + i;
                            var text = FeedFixture.Text(documents, number);
                            var now = Stopwatch.GetTimestamp();
                            byPosition[(await fixture.Database.PutAsync(documents.Id(number), text)).Position] = now;
                        }
                    })
                )
        );
        await reading;
        if (!timed)
            return;
        SubscriptionBenchmarks.ReportLatencies(
            "SUB-loaded",
            "pipeline",
            [.. taken.Select((t, i) => t - byPosition[i + 1])]
        );
        Report.Figure("SUB-loaded", "pipeline", "writes", taken.Length / clock.Seconds, "1/s");
    }

    private static async Task<Task> ReadAsync(FeedFixture fixture, int count, long[] taken)
    {
        await fixture.Host.CreateAsync(new SubscriptionDefinition { Name = "s" });
        var worker = await fixture.Host.ConnectAsync("s");
        return Task.Run(async () =>
        {
            await using (worker)
            {
                for (var done = 0; done < count; )
                {
                    var batch = (await worker.NextAsync())!;
                    var now = Stopwatch.GetTimestamp();
                    for (var i = 0; i < batch.Count; i++)
                        taken[batch[i].Position - 1] = now;
                    done += batch.Count;
                    await batch.AcknowledgeAsync();
                }
            }
        });
    }
}
