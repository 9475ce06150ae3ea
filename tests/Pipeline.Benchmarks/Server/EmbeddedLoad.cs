using System.Buffers;
using System.Diagnostics;
using System.Text;
using Pipeline.Database;

namespace Pipeline.Benchmarks.Server;

/// <summary>
/// Does the work of the server's requests through the embedded API; the difference is the server's share.
/// </summary>
internal static class EmbeddedLoad
{
    public static async Task RunAsync(int callers, TimeSpan time, bool gets, bool puts)
    {
        var folder = Directory.CreateTempSubdirectory("pipeline-bench-").FullName;
        try
        {
            await using var database = DocumentDatabase.Open(new DatabaseOptions { Path = folder });
            var insert = database.BeginBulkInsert();
            await using (insert)
            {
                for (var i = 0; i < ServerBenchmarks.Documents; i++)
                    await insert.StoreAsync($"users/{i}", Encoding.ASCII.GetBytes(RequestLoad.Document(i)));
                await insert.CompleteAsync();
            }
            if (gets)
                await MeasureAsync("SRV-get", callers, time, (random, text) => Get(database, random, text));
            if (puts)
            {
                await MeasureAsync(
                    "SRV-put",
                    callers,
                    time,
                    async (random, _) =>
                    {
                        var number = random.Next(int.MaxValue);
                        await database.PutAsync(
                            $"users/{number % ServerBenchmarks.Documents}",
                            Encoding.ASCII.GetBytes(RequestLoad.Document(number))
                        );
                    }
                );
            }
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    private static ValueTask Get(DocumentDatabase database, Random random, ArrayBufferWriter<byte> text)
    {
        using var snapshot = database.OpenSnapshot();
        if (!snapshot.TryGet($"users/{random.Next(ServerBenchmarks.Documents)}", out var document))
            throw new BenchmarkException("a document is missing");
        text.ResetWrittenCount();
        document.WriteJson(text);
        return ValueTask.CompletedTask;
    }

    private static async Task MeasureAsync(
        string workload,
        int callers,
        TimeSpan time,
        Func<Random, ArrayBufferWriter<byte>, ValueTask> act
    )
    {
        var clock = new Clock();
        var ends = Stopwatch.GetTimestamp() + (long)(time.TotalSeconds * Stopwatch.Frequency);
        var counts = await Task.WhenAll(
            Enumerable
                .Range(0, callers)
                .Select(c =>
                    Task.Run(async () =>
                    {
                        var (random, text, count) = (new Random(c), new ArrayBufferWriter<byte>(), 0L);
                        while (Stopwatch.GetTimestamp() < ends)
                        {
                            await act(random, text);
                            count++;
                        }
                        return count;
                    })
                )
        );
        Report.Figure(workload, $"embedded-{callers}", "rate", counts.Sum() / clock.Seconds, "1/s");
        Report.Figure(workload, $"embedded-{callers}", "cpu", clock.CpuSeconds * 1e6 / counts.Sum(), "us");
    }
}
