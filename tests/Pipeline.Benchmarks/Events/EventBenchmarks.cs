using System.Globalization;

namespace Pipeline.Benchmarks.Events;

/// <summary>
/// `events [--data DIR] [--seconds S] [--streams 1,100,10000] [--documents]`: appends one at a time and in batches,
/// recovery, and what a follower waits, on a database in the process.
/// </summary>
public static class EventBenchmarks
{
    public static async Task<int> RunAsync(string[] args)
    {
        var folder = Path.Combine(Path.GetTempPath(), "pipeline-events-bench");
        var (seconds, documents) = (4.0, false);
        int[] streams = [1, 100, 10_000];
        for (var i = 0; i < args.Length; i++)
        {
            switch (args[i])
            {
                case "--data":
                    folder = args[++i];
                    break;
                case "--seconds":
                    seconds = double.Parse(args[++i], CultureInfo.InvariantCulture);
                    break;
                case "--streams":
                    streams = [.. args[++i].Split(',').Select(s => int.Parse(s, CultureInfo.InvariantCulture))];
                    break;
                case "--documents":
                    documents = true;
                    break;
                default:
                    throw new BenchmarkException(
                        $"unknown argument {args[i]}; there are --data, --seconds, --streams and --documents"
                    );
            }
        }

        try
        {
            foreach (var count in streams)
            {
                Folders.Wipe(folder);
                await EventWorkload.RunAsync(folder, count, seconds, documents);
            }

            Folders.Wipe(folder);
            await EventLatency.RunAsync(folder, seconds);
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }

        return 0;
    }
}
