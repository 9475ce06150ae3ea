using System.Diagnostics;
using System.Globalization;
using Pipeline.Indexing;
using Pipeline.TestKit.Indexing;

namespace Pipeline.Benchmarks.Index;

/// <summary>
/// Q2: the best 10 of text queries, with the exact number of hits (peer <c>pipeline-exact</c>) or counting that may
/// stop at 1,000 (<c>pipeline</c>).
/// </summary>
public static class TextSearchWorkload
{
    private const int Warmup = 3,
        Rounds = 3;

    private static readonly SearchOptions Limited = new() { CountUpTo = 1000 };

    public static void Run(IndexStore index, string queries, IReadOnlySet<string> kinds)
    {
        var all = TextQuery
            .ReadAll(Path.Combine(queries, "q2.tsv"))
            .Where(q => kinds.Count == 0 || kinds.Contains(q.Kind))
            .GroupBy(q => q.Kind)
            .ToList();
        var expected = File.ReadLines(Path.Combine(queries, "q2-expected.tsv"))
            .Where(l => !l.StartsWith('#'))
            .Select(l => l.Split('\t'))
            .ToDictionary(f => f[0] + f[1], f => long.Parse(f[2], CultureInfo.InvariantCulture));
        var wrong = 0;
        using var reader = index.OpenReader();
        var searcher = new Searcher(reader);
        var latencies = all.SelectMany(kind => new[] { (kind.Key, true), (kind.Key, false) })
            .ToDictionary(k => k, _ => new Latencies(Rounds));
        for (var round = 0; round < Warmup + Rounds; round++)
        {
            foreach (var exact in new[] { false, true })
            {
                foreach (var kind in all)
                {
                    var times = latencies[(kind.Key, exact)];
                    if (round >= Warmup)
                        times.Begin();
                    foreach (var query in kind)
                    {
                        var start = Stopwatch.GetTimestamp();
                        var result = searcher.Search(
                            query.ToQuery(),
                            query.Order,
                            skip: 0,
                            take: 10,
                            exact ? null : Limited
                        );
                        var length = 0;
                        foreach (var hit in result.Hits)
                        {
                            if (reader.TryGetEntry(hit.Entry, out var id, out _))
                                length += id.Length;
                        }

                        if (round >= Warmup)
                            times.Add(start);
                        if (length == 0 && result.Hits.Count > 0)
                            throw new BenchmarkException($"{query}: hits without ids");
                        if (exact && round == 0 && result.Total != expected[query.Kind + query.Number])
                        {
                            wrong++;
                            Report.Remark(
                                $"{query}: {result.Total} hits, expected {expected[query.Kind + query.Number]}"
                            );
                        }
                    }

                    if (round >= Warmup)
                        times.End();
                }
            }
        }

        foreach (var exact in new[] { false, true })
        {
            foreach (var kind in all)
                latencies[(kind.Key, exact)].Report("Q2", exact ? "pipeline-exact" : "pipeline", kind.Key);
        }

        Report.Remark(
            wrong == 0
                ? $"check Q2 pipeline: all {all.Sum(k => k.Count())} hit counts as expected"
                : $"check Q2 pipeline: {wrong} hit counts differ"
        );
    }
}
