using Pipeline.Benchmarks.Etl;
using Pipeline.Subscriptions;

namespace Pipeline.Benchmarks.Subscriptions;

/// <summary>
/// A handler that only computes: one worker, then two competing ones. Goal: twice the processors, at least 1.7 times
/// the rate.
/// </summary>
internal static class CompetingWorkers
{
    private const int Documents = 40_000;
    private const int Hashes = 60;
    private static ulong _sink;

    public static async Task RunAsync(MessageDocuments documents, bool timed)
    {
        var one = await TakeAsync(documents, 1, timed ? Documents : Documents / 4);
        var two = await TakeAsync(documents, 2, timed ? Documents : Documents / 4);
        if (!timed)
            return;
        Report.Figure("SUB-workers", "pipeline-1", "rate", one, "1/s");
        Report.Figure("SUB-workers", "pipeline-2", "rate", two, "1/s");
        Report.Figure("SUB-workers", "pipeline-2", "of-one", two / one, "ratio");
    }

    private static async Task<double> TakeAsync(MessageDocuments documents, int workers, int count)
    {
        await using var fixture = new FeedFixture();
        await fixture.StoreAsync(documents, count);
        var clock = new Clock();
        await fixture.Host.CreateAsync(new SubscriptionDefinition { Name = "s" });
        var done = await Task.WhenAll(
            Enumerable
                .Range(0, workers)
                .Select(i =>
                    Task.Run(async () =>
                    {
                        await using var worker = await fixture.Host.ConnectAsync(
                            "s",
                            new SubscriptionWorkerOptions
                            {
                                Name = $"w{i}",
                                Strategy = WorkerStrategy.Concurrent,
                                MaxBatchCount = 250,
                            }
                        );
                        return await worker.RunAsync(
                            (item, _) =>
                            {
                                Work(item.Body.Data.Span);
                                return ValueTask.CompletedTask;
                            },
                            untilEmpty: true
                        );
                    })
                )
        );
        if (done.Sum() != count)
            throw new BenchmarkException($"{done.Sum()} documents of {count}");
        return count / clock.Seconds;
    }

    /// <summary>Touches nothing that threads share: a system's hash functions count references to themselves.</summary>
    private static void Work(ReadOnlySpan<byte> body)
    {
        var hash = 14695981039346656037;
        for (var i = 0; i < Hashes; i++)
        {
            foreach (var b in body)
                hash = (hash ^ b) * 1099511628211;
        }
        if (hash == 0)
            _sink = hash;
    }
}
