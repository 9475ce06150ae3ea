using System.Globalization;
using System.Text;
using Pipeline.Database;
using Pipeline.Documents.Events;

namespace Pipeline.Benchmarks.Events;

/// <summary>
/// Appends to some streams at once, each writer waiting for durability before its next one; then all streams are read
/// again, as recovering actors do.
/// </summary>
internal static class EventWorkload
{
    private const int BatchSize = 100;

    public static async Task RunAsync(string folder, int streams, double seconds, bool documents)
    {
        var name = string.Create(CultureInfo.InvariantCulture, $"{streams}-streams{(documents ? "-documents" : "")}");
        await using var database = DocumentDatabase.Open(new DatabaseOptions { Name = "bench", Path = folder });
        await AppendAsync(database, streams, 1, seconds / 4, documents);
        await MeasureAsync($"append-{name}", database, streams, 1, seconds, documents);
        await MeasureAsync($"append-{name}-by-{BatchSize}", database, streams, BatchSize, seconds, documents);
        var clock = new Clock();
        long read = 0;
        for (var i = 0; i < streams; i++)
        {
            for (long from = 1; ; )
            {
                using var batch = database.Events.ReadStream(Stream(i), from);
                foreach (var item in batch)
                    read += item.Payload.Length > 0 ? 1 : 0;
                from = batch.Through + 1;
                if (!batch.HasMore)
                    break;
            }
        }

        Report.Figure($"recover-{name}", "pipeline", "rate", read / clock.Seconds, "events/s");
        Report.Figure($"recover-{name}", "pipeline", "events", read, "events");
        clock = new Clock();
        long all = 0;
        for (long after = 0; ; )
        {
            using var batch = database.Events.Read(after);
            all += batch.Count;
            after = batch.Through;
            if (!batch.HasMore)
                break;
        }

        Report.Figure($"all-events-{name}", "pipeline", "rate", all / clock.Seconds, "events/s");
    }

    private static async Task MeasureAsync(
        string workload,
        DocumentDatabase database,
        int streams,
        int batch,
        double seconds,
        bool documents
    )
    {
        var clock = new Clock();
        var allocated = GC.GetTotalAllocatedBytes();
        var events = await AppendAsync(database, streams, batch, seconds, documents);
        Report.Figure(workload, "pipeline", "rate", events / clock.Seconds, "events/s");
        Report.Figure(workload, "pipeline", "cpu", clock.CpuSeconds / events * 1e6, "us/event");
        Report.Figure(
            workload,
            "pipeline",
            "allocated",
            (GC.GetTotalAllocatedBytes() - allocated) / (double)events,
            "B/event"
        );
    }

    private static async Task<long> AppendAsync(
        DocumentDatabase database,
        int streams,
        int size,
        double seconds,
        bool documents
    )
    {
        var clock = new Clock();
        var counts = await Task.WhenAll(
            Enumerable
                .Range(0, streams)
                .Select(i =>
                    Task.Run(async () =>
                    {
                        var stream = Stream(i);
                        var payload = Encoding.UTF8.GetBytes(
                            $$"""{"Account":"{{stream}}","Amount":42.5,"Currency":"EUR","Text":"what the money is for, in a few words"}"""
                        );
                        EventData[] events =
                        [
                            .. Enumerable.Repeat(
                                new EventData
                                {
                                    Payload = payload,
                                    Manifest = "deposited",
                                    SerializerId = 1,
                                    Writer = "writer",
                                },
                                size
                            ),
                        ];
                        long done = 0;
                        while (clock.Seconds < seconds)
                        {
                            await database.Events.AppendAsync(
                                stream,
                                documents ? database.Events.WithDocuments(stream, events, "Events") : events
                            );
                            done += size;
                        }

                        return done;
                    })
                )
        );
        return counts.Sum();
    }

    private static string Stream(int number) => string.Create(CultureInfo.InvariantCulture, $"account-{number:D6}");
}
