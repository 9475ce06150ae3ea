using System.Text;
using Xunit;

namespace Pipeline.Indexing.Tests.Search;

public sealed class SortingTests
{
    [Theory]
    [InlineData(1, false)]
    [InlineData(2, true)]
    public async Task Hits_come_in_the_order_asked_for_in_pages_deep_ones_and_streams(int seed, bool single)
    {
        using var fixture = await SearchFixture.MakeAsync(seed, documents: 900, commits: 3, single);
        var (queries, brute) = (new RandomQueries(fixture), new BruteForce(fixture));
        var walked = 0;
        for (var i = 0; i < 120; i++)
        {
            var query = i % 3 == 0 ? new TermQuery("Text", "w" + (1 << fixture.Random.Next(3))) : queries.Next(1);
            var order = Order(fixture);
            var expected = Sorted(fixture, query, brute.Run(query), order).Select(e => e.Entry).ToList();
            var name = $"seed {seed}, query {i}, {string.Join(", ", order)}";
            foreach (var window in new[] { 1 << 16, 8 })
            {
                var options = new SearchOptions { MaxSortWindow = window };
                var (skip, take) = (fixture.Random.Next(40), fixture.Random.Next(1, 20));
                var result = fixture.Searcher.Search(query, order, skip, take, options);
                Assert.True(
                    expected.Skip(skip).Take(take).SequenceEqual(result.Hits.Select(h => h.Entry)),
                    $"{name}: {skip} + {take}, {result.Plan.Operation}"
                );
                Assert.Equal((expected.Count, true), ((int)result.Total, result.TotalIsExact));
                if (result.Plan.Operation.Contains("numbers", StringComparison.Ordinal))
                    walked++;
                using var stream = fixture.Searcher.Stream(
                    query,
                    order,
                    options with
                    {
                        MaxSortWindow = Math.Max(window, 50),
                    }
                );
                var streamed = new List<int>();
                while (stream.MoveNext())
                    streamed.Add(stream.Current.Entry);
                Assert.True(expected.SequenceEqual(streamed), name);
            }
        }

        Assert.True(!single || walked > 5, $"only {walked} searches went through the numbers");
    }

    [Fact]
    public async Task A_range_sorted_by_its_own_field_is_read_in_its_order()
    {
        using var fixture = await SearchFixture.MakeAsync(3, documents: 900, commits: 2, single: true);
        foreach (var descending in new[] { false, true })
        {
            var result = fixture.Searcher.Search(
                new NumberRangeQuery("Number", 0, 150),
                [new FieldOrder("Number", SortForm.Long, descending)],
                3,
                10
            );
            var within = fixture.Live.Where(e => e.Value.Numbers[0] is >= 0 and <= 150);
            var expected = (
                descending ? within.OrderByDescending(e => e.Value.Numbers[0]) : within.OrderBy(e => e.Value.Numbers[0])
            )
                .Select(e => e.Key)
                .Skip(3)
                .Take(10);
            Assert.Equal(expected, result.Hits.Select(h => h.Entry));
            Assert.Equal("sort by going through the numbers", result.Plan.Operation);
        }
    }

    [Theory]
    [InlineData("a2", "a10", -1)]
    [InlineData("a2b", "a2a", 1)]
    [InlineData("", "a", -1)]
    [InlineData("10", "9", 1)]
    [InlineData("a01", "a1", 1)]
    [InlineData("a1", "a1", 0)]
    [InlineData("a99999999999999999999", "a100000000000000000000", -1)]
    [InlineData("1a", "a", -1)]
    [InlineData("a!", "a1", -1)]
    public void Alphanumeric_order_takes_runs_of_digits_for_numbers_and_its_keys_agree(
        string left,
        string right,
        int order
    )
    {
        var (a, b) = (Encoding.UTF8.GetBytes(left), Encoding.UTF8.GetBytes(right));
        Assert.Equal(order, Math.Sign(AlphanumericOrder.Compare(a, b)));
        Assert.Equal(-order, Math.Sign(AlphanumericOrder.Compare(b, a)));
        Assert.True(Math.Sign(AlphanumericOrder.Key(a).CompareTo(AlphanumericOrder.Key(b))) * order >= 0);
    }

    private static SearchOrder[] Order(SearchFixture fixture)
    {
        var keys = new List<SearchOrder>();
        for (var left = fixture.Random.Next(1, 4); left > 0; left--)
        {
            var descending = fixture.Random.Next(2) == 0;
            keys.Add(
                fixture.Random.Next(9) switch
                {
                    0 or 1 or 2 => new FieldOrder("Number", SortForm.Long, descending),
                    3 => new FieldOrder("Price", SortForm.Double, descending),
                    4 => new FieldOrder("Tag", SortForm.String, descending),
                    5 => new FieldOrder("Tag", SortForm.Alphanumeric, descending),
                    6 => new DistanceOrder("Place", 10, 20, descending),
                    7 => new ScoreOrder(descending),
                    _ => new FieldOrder("Nowhere", SortForm.String, descending),
                }
            );
        }

        return [.. keys];
    }

    private static IEnumerable<(int Entry, SearchDocument Document)> Sorted(
        SearchFixture fixture,
        Query query,
        Dictionary<int, double> found,
        SearchOrder[] order
    )
    {
        // The index's own scores, which are compared with the evaluator's elsewhere: they are of single precision.
        var entries = found.Keys.Order().Select(e => (Entry: e, Document: fixture.Live[e]));
        var scores = fixture
            .Searcher.Search(query, [SearchOrder.Score], 0, int.MaxValue)
            .Hits.ToDictionary(h => h.Entry, h => h.Score);
        IOrderedEnumerable<(int Entry, SearchDocument Document)>? sorted = null;
        foreach (var key in order)
        {
            Func<(int Entry, SearchDocument Document), IComparable> value = key switch
            {
                FieldOrder { Field: "Number" } => e =>
                    e.Document.Numbers.Length == 0 ? long.MinValue : e.Document.Numbers[0],
                FieldOrder { Field: "Price" } => e =>
                    e.Document.Prices.Length == 0 ? double.NegativeInfinity : e.Document.Prices[0],
                FieldOrder { Form: SortForm.String, Field: "Tag" } => e => Tag(e.Document) is { } tag ? "1" + tag : "0",
                FieldOrder { Field: "Tag" } => e =>
                    Tag(e.Document) is not { } tag ? -2
                    : tag.Length == 0 ? -1
                    : int.Parse(tag[3..]),
                DistanceOrder => e => e.Document.Points.Length == 0 ? -1.0 : Distance(e.Document.Points[0]),
                ScoreOrder => e => scores[e.Entry],
                _ => _ => 0,
            };
            var comparer = Comparer<IComparable>.Create(
                (a, b) => a is string s ? string.CompareOrdinal(s, (string)b) : a.CompareTo(b)
            );
            sorted = sorted is null
                ? key.Descending
                    ? entries.OrderByDescending(value, comparer)
                    : entries.OrderBy(value, comparer)
                : key.Descending
                    ? sorted.ThenByDescending(value, comparer)
                    : sorted.ThenBy(value, comparer);
        }

        return sorted!;
    }

    private static string? Tag(SearchDocument document) => document.Tags.FirstOrDefault(t => t is not null);

    private static double Distance((double Latitude, double Longitude) point)
    {
        var (latitude, longitude) = PointCode.ToPoint(PointCode.From(point.Latitude, point.Longitude));
        return new HaversineDistance(10, 20).SortKey(latitude, longitude);
    }
}
