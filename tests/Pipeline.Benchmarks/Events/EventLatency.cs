using System.Diagnostics;
using Pipeline.Database;
using Pipeline.Documents.Events;

namespace Pipeline.Benchmarks.Events;

/// <summary>
/// The time from the call of an append until a live follower has the event: 1,000 appends a second by four writers.
/// </summary>
internal static class EventLatency
{
    private const int Writers = 4;
    private const int PerSecond = 1_000;

    public static async Task RunAsync(string folder, double seconds)
    {
        await using var database = DocumentDatabase.Open(new DatabaseOptions { Name = "bench", Path = folder });
        var latencies = new List<double>();
        using var stop = new CancellationTokenSource();
        var follower = Task.Run(async () =>
        {
            try
            {
                await foreach (var batch in database.Events.FollowAsync(0, ct: stop.Token))
                {
                    var now = Stopwatch.GetTimestamp();
                    foreach (var item in batch)
                    {
                        latencies.Add(
                            Stopwatch.GetElapsedTime(BitConverter.ToInt64(item.Payload.Span), now).TotalMilliseconds
                        );
                    }
                }
            }
            catch (OperationCanceledException)
            {
                return;
            }
        });
        var clock = new Clock();
        await Task.WhenAll(
            Enumerable
                .Range(0, Writers)
                .Select(i =>
                    Task.Run(async () =>
                    {
                        using var timer = new PeriodicTimer(TimeSpan.FromMilliseconds(1_000.0 * Writers / PerSecond));
                        while (clock.Seconds < seconds && await timer.WaitForNextTickAsync())
                        {
                            await database.Events.AppendAsync(
                                $"s{i}",
                                [new EventData { Payload = BitConverter.GetBytes(Stopwatch.GetTimestamp()) }]
                            );
                        }
                    })
                )
        );
        await stop.CancelAsync();
        await follower;
        double[] sorted = [.. latencies.Skip(PerSecond / 4).Order()];
        foreach (var p in new[] { 0.5, 0.99, 0.999 })
            Report.Figure("live-latency", "pipeline", $"p{p * 100:0.#}", Report.Percentile(sorted, p), "ms");
        Report.Figure("live-latency", "pipeline", "events", sorted.Length, "events");
    }
}
