using System.Diagnostics;
using System.Globalization;
using Pipeline.Indexing;
using Pipeline.Storage;

namespace Pipeline.Benchmarks.Index;

/// <summary>
/// The first query after opening the films' store, each time in a new process that has only opened the store. The files
/// are in the page cache.
/// <c>first-query</c> covers the snapshot, the query, its exact count and the ids of the ten best hits, with all the
/// compilation that they need; for <c>facet</c> it covers the counts by decade of the documents that a term matches.
/// <c>open</c> covers the opening.
/// <c>start-to-answer</c> covers everything since the process started, with the runtime's own startup.
/// The processes use the worker's compiler settings, not those of the other benchmarks.
/// </summary>
public static class ColdStart
{
    private const int Processes = 15;
    private static readonly string[] Kinds = ["term", "and", "or", "phrase", "prefix", "range", "sort", "facet"];

    private static readonly FacetRequest[] Decades =
    [
        new RangeFacet(
            "Year",
            [
                .. Enumerable
                    .Range(190, 14)
                    .Select(d => new FacetRange($"{d}0s", NumericKey.From(d * 10L), NumericKey.From((d * 10L) + 10))),
            ]
        ),
    ];

    /// <summary>Starts the processes and reports their times.</summary>
    public static void Measure(string store, string queries)
    {
        var file = Path.Combine(queries, "q2.tsv");
        foreach (var kind in Kinds)
        {
            var runs = Enumerable.Range(0, Processes).Select(i => Run(store, file, kind, i)).ToList();
            foreach (
                var (metric, at) in new[]
                {
                    ("open", 0),
                    ("first-query", 1),
                    ("first-query-cpu", 2),
                    ("second-query", 3),
                    ("start-to-answer", 4),
                }
            )
            {
                double[] sorted = [.. runs.Select(r => r[at]).Order()];
                Report.Figure("cold", "pipeline", $"{kind}-{metric}-p50", Report.Percentile(sorted, .5), "ms");
                if (metric == "first-query")
                    Report.Figure("cold", "pipeline", $"{kind}-{metric}-min", sorted[0], "ms");
            }

            if (kind == "term")
            {
                Report.Figure(
                    "cold",
                    "pipeline",
                    "first-query-p50",
                    Report.Percentile([.. runs.Select(r => r[1]).Order()], .5),
                    "ms"
                );
            }
        }
    }

    /// <summary>
    /// What a started process does: arguments are the store, the file of queries, the kind and which of them.
    /// </summary>
    public static void Ask(string[] arguments)
    {
        var started = Process.GetCurrentProcess().StartTime.ToUniversalTime();
        // A facet is of what a term finds.
        var counts = arguments[2] == "facet";
        var asked = TextQueries(
            arguments[1],
            counts ? "term" : arguments[2],
            int.Parse(arguments[3], CultureInfo.InvariantCulture)
        );
        var opening = new Clock();
        using var environment = StorageEnvironment.Open(new StorageOptions { Path = arguments[0] });
        using var store = IndexStore.Open(environment);
        var open = opening.Seconds;
        // Compiles the measuring code and initializes the decades before the clock starts.
        _ = (opening.CpuSeconds, DateTime.UtcNow, Decades.Length);
        var first = new Clock();
        var found = Answer(store, asked[0].Query, asked[0].Order, counts);
        var (query, cpu) = (first.Seconds, first.CpuSeconds);
        var whole = (DateTime.UtcNow - started).TotalSeconds;
        var second = new Clock();
        found += Answer(store, asked[1].Query, asked[1].Order, counts);
        var next = second.Seconds;
        if (found == 0)
            throw new BenchmarkException("the queries found nothing");
        Console.WriteLine(
            string.Join(
                ' ',
                new[] { open, query, cpu, next, whole }.Select(s =>
                    (s * 1000).ToString("F3", CultureInfo.InvariantCulture)
                )
            )
        );
    }

    private static long Answer(IndexStore store, Query query, IReadOnlyList<SearchOrder> order, bool counts)
    {
        using var reader = store.OpenReader();
        if (counts)
            return new Searcher(reader).CountFacets(query, Decades)[0].Values.Count;
        var result = new Searcher(reader).Search(query, order, skip: 0, take: 10);
        var found = result.Total;
        for (var i = 0; i < result.Hits.Count; i++)
        {
            if (reader.TryGetEntry(result.Hits[i].Entry, out var id, out _))
                found += id.Length;
        }

        return found;
    }

    // Each process asks others of the list.
    private static List<(Query Query, IReadOnlyList<SearchOrder> Order)> TextQueries(
        string file,
        string kind,
        int run
    ) =>
        [
            .. TestKit
                .Indexing.TextQuery.ReadAll(file)
                .Where(q => q.Kind == kind)
                .Skip(run * 61)
                .Take(2)
                .Select(q => (q.ToQuery(), q.Order)),
        ];

    private static double[] Run(string store, string file, string kind, int run)
    {
        var start = new ProcessStartInfo(
            Environment.ProcessPath!,
            ["index", "cold-query", store, file, kind, run.ToString(CultureInfo.InvariantCulture)]
        )
        {
            RedirectStandardOutput = true,
        };
        start.Environment["DOTNET_TC_QuickJit"] = "1";
        using var process = Process.Start(start) ?? throw new BenchmarkException("the benchmark cannot start itself");
        var line = process.StandardOutput.ReadToEnd();
        process.WaitForExit();
        if (process.ExitCode != 0)
            throw new BenchmarkException($"a process of the cold start ended with {process.ExitCode}");
        return [.. line.Split(' ').Select(n => double.Parse(n, CultureInfo.InvariantCulture))];
    }
}
