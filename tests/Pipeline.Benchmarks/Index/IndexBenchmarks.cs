using System.IO.Compression;
using System.Text;
using Pipeline.Indexing;
using Pipeline.Storage;
using Pipeline.TestKit.Files;

namespace Pipeline.Benchmarks.Index;

/// <summary>
/// Measures the index engine by itself. `cold` measures the first query of new processes; `memory` measures indexing
/// within `--budget MB` (default 256). Workloads (default Q2 and Q3): `Q1` indexes the films on two threads; `Q2` is Q1
/// and then the text queries; `Q3` indexes the cities on one thread, then runs ranges, facets and circles. `keep-up`
/// inserts the films in bulk into a database with an index (`--copies N` of each, default 5). `--threads N` is for Q1.
/// `--data FOLDER` holds movies.jsonl.gz and cities.jsonl.gz (default ../shared/data). `--queries FOLDER` holds q2.tsv,
/// q3.tsv and the expected results (default ../perf/queries from the data). `--kinds A,B` runs only these kinds of
/// queries. `--path FOLDER` is for the store; `--keep` leaves the films' store there and reuses an existing one.
/// </summary>
public static class IndexBenchmarks
{
    private const int Copies = 5;
    private const int Portion = 1000;

    public static async Task<int> RunAsync(string[] arguments)
    {
        if (arguments is ["cold-query", ..])
        {
            ColdStart.Ask(arguments[1..]);
            return 0;
        }

        var path = Path.Combine(Path.GetTempPath(), $"pipeline-benchmarks-{Environment.ProcessId}");
        var data = Path.GetFullPath("../shared/data", RepositoryTree.Root);
        string? queries = null;
        var kinds = new HashSet<string>();
        var (threads, keep, budget, copies) = (2, false, 256, Copies);
        var workloads = new List<string>();
        for (var i = 0; i < arguments.Length; i++)
        {
            if (arguments[i] == "--path" && i + 1 < arguments.Length)
            {
                path = Path.Combine(arguments[++i], "pipeline-benchmarks");
            }
            else if (arguments[i] == "--data" && i + 1 < arguments.Length)
            {
                data = arguments[++i];
            }
            else if (
                arguments[i] == "--threads"
                && i + 1 < arguments.Length
                && int.TryParse(arguments[i + 1], out threads)
                && threads is > 0 and <= 64
            )
            {
                i++;
            }
            else if (
                arguments[i] == "--copies"
                && i + 1 < arguments.Length
                && int.TryParse(arguments[i + 1], out copies)
                && copies is > 0 and <= 1000
            )
            {
                i++;
            }
            else if (arguments[i] == "--queries" && i + 1 < arguments.Length)
            {
                queries = arguments[++i];
            }
            else if (arguments[i] == "--kinds" && i + 1 < arguments.Length)
            {
                kinds.UnionWith(arguments[++i].Split(','));
            }
            else if (arguments[i] == "--keep")
            {
                keep = true;
            }
            else if (
                arguments[i] == "--budget"
                && i + 1 < arguments.Length
                && int.TryParse(arguments[i + 1], out budget)
                && budget > 0
            )
            {
                i++;
            }
            else if (arguments[i] is "Q1" or "Q2" or "Q3" or "cold" or "memory" or "keep-up")
            {
                workloads.Add(arguments[i]);
            }
            else
            {
                throw new BenchmarkException(
                    $"'{arguments[i]}' is not an argument; workloads: Q1 Q2 Q3 cold memory keep-up; --threads N, --copies N, --budget MB, --data FOLDER, --queries FOLDER, --kinds A,B, --path FOLDER, --keep"
                );
            }
        }

        if (!Directory.Exists(data))
        {
            throw new BenchmarkException(
                $"{data} is missing; --data FOLDER says where movies.jsonl.gz and cities.jsonl.gz are"
            );
        }

        if (workloads.Count == 0)
            workloads.AddRange(["Q2", "Q3"]);
        queries ??= Path.Combine(data, "..", "perf", "queries");
        try
        {
            var films = path + "-films";
            if (keep && workloads.Contains("Q2") && Directory.Exists(films))
            {
                using var environment = StorageEnvironment.Open(new StorageOptions { Path = films });
                using var store = IndexStore.Open(environment);
                TextSearchWorkload.Run(store, queries, kinds);
            }
            else if (workloads.Contains("Q1") || workloads.Contains("Q2"))
            {
                await IndexFilmsAsync(
                    keep ? films : path,
                    Read(Path.Combine(data, "movies.jsonl.gz")),
                    threads,
                    store =>
                    {
                        if (workloads.Contains("Q2"))
                            TextSearchWorkload.Run(store, queries, kinds);
                    }
                );
            }

            if (workloads.Contains("memory"))
                await IndexingMemory.RunAsync(path, Path.Combine(data, "movies.jsonl.gz"), budget);
            if (workloads.Contains("cold"))
                await MeasureColdAsync(keep ? films : path, Path.Combine(data, "movies.jsonl.gz"), queries);
            if (workloads.Contains("keep-up"))
            {
                await KeepUpWorkload.RunAsync(
                    path,
                    Read(Path.Combine(data, "movies.jsonl.gz")).ConvertAll(KeepUpWorkload.Document),
                    copies
                );
            }

            if (workloads.Contains("Q3"))
            {
                await IndexCitiesAsync(
                    path,
                    Read(Path.Combine(data, "cities.jsonl.gz")),
                    store => CitySearchWorkload.Run(store, queries, kinds)
                );
            }
        }
        finally
        {
            if (Directory.Exists(path))
                Directory.Delete(path, recursive: true);
        }

        return 0;
    }

    private static async Task IndexFilmsAsync(string path, List<byte[]> lines, int threads, Action<IndexStore> search)
    {
        await using var run = new IndexRun(path, "Q1", threads == 1 ? "pipeline" : $"pipeline-{threads}t");
        var total = lines.Count * Copies;
        await run.IndexAsync(
            threads,
            (store, batches) =>
            {
                var next = -Portion;
                Parallel.For(
                    0,
                    threads,
                    new ParallelOptions { MaxDegreeOfParallelism = threads },
                    t =>
                    {
                        var films = new FilmReader(store, batches[t]);
                        for (int from; (from = Interlocked.Add(ref next, Portion)) < total; )
                        {
                            for (var i = from; i < Math.Min(total, from + Portion); i++)
                                films.Add(lines[i % lines.Count], i / lines.Count);
                        }
                    }
                );
            }
        );
        run.Check(total, "Extract", "film");
        search(run.Store);
    }

    private static async Task MeasureColdAsync(string path, string films, string queries)
    {
        if (!Directory.Exists(path))
            await IndexFilmsAsync(path, Read(films), 2, _ => { });
        ColdStart.Measure(path, queries);
    }

    private static async Task IndexCitiesAsync(string path, List<byte[]> lines, Action<IndexStore> search)
    {
        await using var run = new IndexRun(path, "Q3", "pipeline", "index-");
        await run.IndexAsync(
            1,
            (store, batches) =>
            {
                var cities = new CityReader(store, batches[0]);
                foreach (var line in lines)
                    cities.Add(line);
            }
        );
        run.Check(lines.Count, "Country", "FR");
        search(run.Store);
    }

    private static List<byte[]> Read(string path)
    {
        if (!File.Exists(path))
            throw new BenchmarkException($"{path} is missing");
        using var reader = new StreamReader(
            new GZipStream(File.OpenRead(path), CompressionMode.Decompress),
            new UTF8Encoding(false, true)
        );
        var lines = new List<byte[]>();
        while (reader.ReadLine() is { } line)
        {
            if (line.Length > 0)
                lines.Add(Encoding.UTF8.GetBytes(line));
        }

        return lines;
    }
}
