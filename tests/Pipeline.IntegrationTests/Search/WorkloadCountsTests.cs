using System.Globalization;
using System.Text;
using Pipeline.Indexing;
using Pipeline.Storage;
using Pipeline.TestKit.Files;
using Pipeline.TestKit.Indexing;
using Xunit;

namespace Pipeline.IntegrationTests.Search;

/// <summary>
/// Searches give exactly the counts of other engines for the workloads Q2 and Q3 (in ../shared/perf/queries; skipped if
/// missing).
/// </summary>
public sealed class WorkloadCountsTests
{
    /// <summary>The expected counts are for five copies of each film; this test indexes one.</summary>
    private const int Copies = 5;

    private static readonly string Shared = Path.GetFullPath("../shared", RepositoryTree.Root);

    [SkippableFact]
    public async Task All_7_000_queries_of_Q2_have_their_hits_and_the_greatest_years()
    {
        using var environment = StorageEnvironment.Open(new StorageOptions());
        using var index = IndexStore.Open(environment);
        await FilmIndex.BuildAsync(index, FilmIndex.Lines(Find("data/movies.jsonl.gz")), copies: 1);
        using var reader = index.OpenReader();
        var searcher = new Searcher(reader);
        var expected = File.ReadLines(Find("perf/queries/q2-expected.tsv"))
            .Where(l => !l.StartsWith('#'))
            .Select(l => l.Split('\t'))
            .ToDictionary(f => f[0] + f[1], f => (Hits: Number(f[2]), Years: Number(f[4])));
        Assert.True(reader.TryGetField("Year", out var field));
        var years = reader.OpenColumn(field, ColumnKind.Long)!;
        var wrong = new List<string>();
        foreach (var query in TextQuery.ReadAll(Find("perf/queries/q2.tsv")))
        {
            var result = searcher.Search(query.ToQuery(), query.Order, skip: 0, take: 10);
            var (hits, sum) = expected[query.Kind + query.Number];
            if (result.Total * Copies != hits || result.Hits.Count != Math.Min(10, result.Total))
                wrong.Add($"{query}: {result.Total} x {Copies}, expected {hits}");
            if (query.Kind != "sort")
                continue;
            // Of five copies the ten greatest are the two greatest of one.
            var found = result.Hits.Take(2).Sum(h => years.TryGet(h.Entry, out var year) ? year : 0) * Copies;
            if (found != sum)
                wrong.Add($"{query}: years {found}, expected {sum}");
        }

        Assert.True(wrong.Count == 0, $"{wrong.Count} differ, first: {string.Join("; ", wrong.Take(5))}");
        Assert.Equal(7000, expected.Count);
    }

    [SkippableFact]
    public async Task All_ranges_facets_and_circles_of_Q3_have_their_counts()
    {
        using var environment = StorageEnvironment.Open(new StorageOptions());
        using var index = IndexStore.Open(environment);
        await CityIndex.BuildAsync(index, FilmIndex.Lines(Find("data/cities.jsonl.gz")));
        using var reader = index.OpenReader();
        var searcher = new Searcher(reader);
        Assert.True(reader.TryGetField("Population", out var field));
        var populations = reader.OpenColumn(field, ColumnKind.Long)!;
        var checked_ = 0;
        foreach (
            var f in File.ReadLines(Find("perf/queries/q3.tsv"))
                .Where(l => !l.StartsWith('#'))
                .Select(l => l.Split('\t'))
        )
        {
            var (a, b, hits, last) = (Real(f[2]), Real(f[3]), Number(f[4]), Real(f[5]));
            if (f[0] == "range")
            {
                var range = new NumberRangeQuery("Population", (long)a, (long)b);
                Assert.Equal(hits, searcher.Count(range));
                var top = searcher.Search(
                    range,
                    [new FieldOrder("Population", SortForm.Long, Descending: true)],
                    0,
                    10
                );
                Assert.Equal(
                    (hits, (long)last),
                    (top.Total, top.Hits.Sum(h => populations.TryGet(h.Entry, out var p) ? p : 0))
                );
                Assert.Equal(
                    hits,
                    searcher.CountFacets(range, [new ValueFacet("Feature")])[0].Values.Sum(v => v.Count)
                );
            }
            else
            {
                var circle = new SpatialQuery("Location", new GeoCircle(a, b, 100_000));
                var top = searcher.Search(circle, [new DistanceOrder("Location", a, b)], 0, 10);
                Assert.InRange(top.Total, hits - 1, hits + 1);
                Assert.True(reader.TryGetField("Location", out var location));
                Assert.True(reader.OpenColumn(location, ColumnKind.Point)!.TryGet(top.Hits[^1].Entry, out var code));
                var (latitude, longitude) = PointCode.ToPoint((ulong)code);
                Assert.Equal(last, new HaversineDistance(a, b).Meters(latitude, longitude), 1.0);
            }

            checked_++;
        }

        Assert.Equal(2000, checked_);
        var facets = searcher.CountFacets(AllQuery.Instance, [new ValueFacet("Country"), new ValueFacet("Feature")]);
        var counts = facets
            .SelectMany(f =>
                f.Values.Select(v => $"{f.Request.Field}\t{Encoding.UTF8.GetString(v.Name.Span)}\t{v.Count}")
            )
            .Order();
        Assert.Equal(File.ReadLines(Find("perf/queries/q3-facets.tsv")).Where(l => !l.StartsWith('#')).Order(), counts);
    }

    private static string Find(string file)
    {
        var path = Path.Combine(Shared, file);
        Skip.IfNot(File.Exists(path), $"{path} is not there");
        return path;
    }

    private static long Number(string text) => long.Parse(text, CultureInfo.InvariantCulture);

    private static double Real(string text) => double.Parse(text, CultureInfo.InvariantCulture);
}
