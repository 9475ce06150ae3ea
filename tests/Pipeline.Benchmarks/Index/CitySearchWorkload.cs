using System.Diagnostics;
using System.Globalization;
using System.Text;
using Pipeline.Indexing;

namespace Pipeline.Benchmarks.Index;

/// <summary>Q3: ranges, facets and radius searches over the cities.</summary>
public static class CitySearchWorkload
{
    private const int Warmup = 2,
        Rounds = 3;

    private static readonly IReadOnlyList<SearchOrder> ByPopulation =
    [
        new FieldOrder("Population", SortForm.Long, Descending: true),
    ];
    private static readonly IReadOnlyList<FacetRequest> Facets = [new ValueFacet("Country"), new ValueFacet("Feature")];

    public static void Run(IndexStore index, string queries, IReadOnlySet<string> kinds)
    {
        var lines = File.ReadLines(Path.Combine(queries, "q3.tsv"))
            .Where(l => !l.StartsWith('#'))
            .Select(l => l.Split('\t'))
            .ToList();
        var (ranges, radii) = (lines.Where(f => f[0] == "range").ToList(), lines.Where(f => f[0] == "radius").ToList());
        var wrong = 0;
        using var reader = index.OpenReader();
        var searcher = new Searcher(reader);
        foreach (
            var kind in new[]
            {
                "range-count",
                "range-top10",
                "facet-all",
                "facet-range",
                "radius-count",
                "radius-top10",
            }
        )
        {
            if (kinds.Count > 0 && !kinds.Contains(kind))
                continue;
            var times = new Latencies(Rounds);
            var list =
                kind.StartsWith("radius", StringComparison.Ordinal) ? radii
                : kind == "facet-all" ? ranges[..200]
                : ranges;
            for (var round = 0; round < Warmup + Rounds; round++)
            {
                if (round >= Warmup)
                    times.Begin();
                foreach (var line in list)
                {
                    var (a, b) = (
                        double.Parse(line[2], CultureInfo.InvariantCulture),
                        double.Parse(line[3], CultureInfo.InvariantCulture)
                    );
                    var start = Stopwatch.GetTimestamp();
                    var hits = Ask(searcher, reader, kind, a, b);
                    if (round >= Warmup)
                        times.Add(start);
                    if (
                        round == 0
                        && Math.Abs(hits - long.Parse(line[4], CultureInfo.InvariantCulture))
                            > (kind.StartsWith("radius", StringComparison.Ordinal) ? 1 : 0)
                        && kind != "facet-all"
                    )
                    {
                        wrong++;
                        Report.Remark($"{kind} {line[1]}: {hits}, expected {line[4]}");
                    }
                }

                if (round >= Warmup)
                    times.End();
            }

            times.Report("Q3", "pipeline", kind);
        }

        wrong += CheckFacets(searcher, queries);
        Report.Remark(
            wrong == 0 ? "check Q3 pipeline: all counts as expected" : $"check Q3 pipeline: {wrong} counts differ"
        );
    }

    private static long Ask(Searcher searcher, IndexReader reader, string kind, double a, double b)
    {
        switch (kind)
        {
            case "range-count":
                return searcher.Count(new NumberRangeQuery("Population", (long)a, (long)b));
            case "range-top10":
                return Ids(
                    reader,
                    searcher.Search(
                        new NumberRangeQuery("Population", (long)a, (long)b),
                        ByPopulation,
                        skip: 0,
                        take: 10
                    )
                );
            case "facet-all":
                return searcher.CountFacets(AllQuery.Instance, Facets).Sum(f => f.Values.Count);
            case "facet-range":
                return searcher
                    .CountFacets(new NumberRangeQuery("Population", (long)a, (long)b), Facets)[1]
                    .Values.Sum(v => v.Count);
            case "radius-count":
                return searcher.Count(new SpatialQuery("Location", new GeoCircle(a, b, 100_000)));
            default:
                return Ids(
                    reader,
                    searcher.Search(
                        new SpatialQuery("Location", new GeoCircle(a, b, 100_000)),
                        [new DistanceOrder("Location", a, b)],
                        skip: 0,
                        take: 10
                    )
                );
        }
    }

    private static long Ids(IndexReader reader, SearchResult result)
    {
        foreach (var hit in result.Hits)
        {
            if (!reader.TryGetEntry(hit.Entry, out _, out _))
                throw new BenchmarkException($"entry {hit.Entry} is not there");
        }

        return result.Total;
    }

    private static int CheckFacets(Searcher searcher, string queries)
    {
        var found = searcher
            .CountFacets(AllQuery.Instance, Facets)
            .SelectMany(f =>
                f.Values.Select(v => $"{f.Request.Field}\t{Encoding.UTF8.GetString(v.Name.Span)}\t{v.Count}")
            )
            .ToHashSet();
        var expected = File.ReadLines(Path.Combine(queries, "q3-facets.tsv"))
            .Where(l => !l.StartsWith('#'))
            .ToHashSet();
        return found.SetEquals(expected) ? 0 : 1;
    }
}
