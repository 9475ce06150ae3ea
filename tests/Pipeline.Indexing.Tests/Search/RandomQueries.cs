using System.Text;

namespace Pipeline.Indexing.Tests.Search;

/// <summary>Random trees of all kinds of queries over the fields of a <see cref="SearchFixture"/>.</summary>
internal sealed class RandomQueries(SearchFixture fixture)
{
    private Random Random => fixture.Random;

    public Query Next(int depth) => depth == 0 || Random.Next(3) == 0 ? Leaf() : Boolean(depth);

    public Query Leaf()
    {
        switch (Random.Next(22))
        {
            case 0:
                return Random.Next(3) == 0 ? NoneQuery.Instance : AllQuery.Instance;
            case 1:
                return new TermQuery("Tag", fixture.TagValue());
            case 2:
                return new PhraseQuery("Text", fixture.Word(), fixture.Word());
            case 3:
                return new PhraseQuery(
                    "Text",
                    [
                        .. Enumerable
                            .Range(0, Random.Next(2, 4))
                            .Select(i => new PhraseTerm(Bytes(fixture.Word()), i * Random.Next(1, 3))),
                    ]
                );
            case 4:
                return new InQuery(
                    "Tag",
                    [
                        .. Enumerable
                            .Range(0, Random.Next(5))
                            .Select(_ => (ReadOnlyMemory<byte>)Bytes(fixture.TagValue())),
                    ]
                );
            case 5:
                return new AllInQuery(
                    "Tag",
                    [
                        .. Enumerable
                            .Range(0, Random.Next(3))
                            .Select(_ => (ReadOnlyMemory<byte>)Bytes(fixture.TagValue())),
                    ]
                );
            case 6:
                return new PrefixQuery("Text", fixture.Word()[..Random.Next(1, 3)]);
            case 7:
                return new SuffixQuery(Field(), Random.Next(10).ToString());
            case 8:
                return new WildcardQuery(Field(), new[] { "*1*", "w?", "t*3", "*", "w1??", "??" }[Random.Next(6)]);
            case 9:
                return new RegexQuery(Field(), new[] { "^w1", "[35]$", "(12|34)", "^tag\\d$", "^$" }[Random.Next(5)]);
            case 10:
                return new TermRangeQuery(Field(), Bound(), Bound(), Random.Next(2) == 0, Random.Next(2) == 0);
            case 11 or 12:
                return new NumberRangeQuery(
                    "Number",
                    NumericKey.From(Random.Next(-60, 150)),
                    NumericKey.From(Random.Next(0, 210)),
                    Random.Next(2) == 0,
                    Random.Next(2) == 0
                );
            case 13:
                return new NumberRangeQuery(
                    "Price",
                    Key(Random.NextDouble() * 60),
                    Key(Random.NextDouble() * 120),
                    Random.Next(2) == 0,
                    Random.Next(2) == 0
                );
            case 14:
                return new ExistsQuery(new[] { "Text", "Tag", "Number", "Price", "Place", "Nowhere" }[Random.Next(6)]);
            case 15:
                return new NullQuery("Tag");
            case 16 or 17:
                return Spatial();
            case 18:
                return new BoostQuery(Leaf(), Random.Next(4));
            case 19:
                return new ConstantScoreQuery(Leaf(), Random.Next(5));
            default:
                return new TermQuery("Text", fixture.Word());
        }
    }

    /// <summary>A disjunction or conjunction of words, as people type them.</summary>
    public Query Words(bool all)
    {
        Query[] words = [.. Enumerable.Range(0, Random.Next(1, 5)).Select(_ => new TermQuery("Text", fixture.Word()))];
        return all ? BooleanQuery.And(words) : BooleanQuery.Or(words);
    }

    private BooleanQuery Boolean(int depth)
    {
        Query[] Some(int most) => [.. Enumerable.Range(0, Random.Next(most)).Select(_ => Next(depth - 1))];
        var should = Some(4);
        return new BooleanQuery
        {
            Must = Some(3),
            Filter = Random.Next(3) == 0 ? Some(3) : [],
            Should = should,
            MustNot = Random.Next(3) == 0 ? Some(3) : [],
            MinimumShouldMatch = Random.Next(3) == 0 ? Random.Next(should.Length + 1) : null,
        };
    }

    private SpatialQuery Spatial()
    {
        var (latitude, longitude) = fixture.Point();
        Shape shape = Random.Next(3) switch
        {
            0 => new GeoCircle(latitude, longitude, Math.Pow(10, 5 + Random.NextDouble() * 2)),
            1 => new GeoRectangle(
                latitude,
                longitude,
                latitude + Random.NextDouble() * 40,
                Random.NextDouble() * 360 - 180
            ),
            _ => new GeoPolygon(
                new GeoRing([
                    (latitude, longitude),
                    (Math.Min(90, latitude + 30), longitude + 20),
                    (latitude, longitude + 60),
                ])
            ),
        };
        return new SpatialQuery("Place", shape, (SpatialRelation)Random.Next(3));
    }

    private ReadOnlyMemory<byte>? Bound() =>
        Random.Next(4) == 0 ? null : Bytes(Random.Next(2) == 0 ? fixture.Word() : fixture.TagValue());

    private string Field() => Random.Next(2) == 0 ? "Text" : "Tag";

    private static NumericKey Key(double value) =>
        NumericKey.TryFrom(Math.Round(value, 1), out var key) ? key : NumericKey.Max;

    private static byte[] Bytes(string text) => Encoding.UTF8.GetBytes(text);
}
