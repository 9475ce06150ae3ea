using System.Text;
using Pipeline.Storage;
using Xunit;

namespace Pipeline.Indexing.Tests.Search;

/// <summary>Phrases of two words in lists of all densities and layouts, against a look at each text.</summary>
public sealed class PhrasePairTests : IDisposable
{
    private const int Documents = 9000;
    private static readonly IReadOnlyList<SearchOrder> ByScore = [SearchOrder.Score];
    private readonly StorageEnvironment _environment = StorageEnvironment.Open(new StorageOptions());
    private readonly IndexStore _store;
    private readonly List<string[]> _texts = [];

    public PhrasePairTests() => _store = IndexStore.Open(_environment);

    public void Dispose()
    {
        _store.Dispose();
        _environment.Dispose();
    }

    // With up to 255 words, positions are bytes. Some entries have more of them than are compared at once;
    // some positions are closer to the end of the byte than the distance.
    // The words are in bitmaps (a, b), in packed blocks (c, d, e), in a term's record (f); x is in a bitmap with a gap.
    [Theory]
    [InlineData(12, 1)]
    [InlineData(12, 2)]
    [InlineData(12, 3)]
    [InlineData(200, 1)]
    [InlineData(256, 20)]
    [InlineData(256, 230)]
    [InlineData(300, 1)]
    [InlineData(300, 2)]
    public async Task All_pairs_are_found_counted_and_scored(int longest, int distance)
    {
        await FillAsync(longest, seed: longest + distance);
        using var reader = _store.OpenReader();
        var searcher = new Searcher(reader);
        var tried = 0;
        foreach (var first in "abcdefx")
        {
            foreach (var second in "abcdefx")
            {
                if (first == second)
                    continue;
                var query = new PhraseQuery("Text", [Word(first, 0), Word(second, distance)]);
                var name = $"{first} {second} at {distance}";
                var expected = Enumerable
                    .Range(0, _texts.Count)
                    .Where(e => reader.IsLive(e) && Frequency(_texts[e], first, second, distance) > 0)
                    .ToArray();
                var all = searcher.Search(query, ByScore, 0, int.MaxValue);
                Assert.True(expected.Length == all.Total && all.TotalIsExact, name);
                Assert.True(expected.SequenceEqual(all.Hits.Select(h => h.Entry).Order()), name);
                foreach (var hit in all.Hits.Take(20))
                    Assert.Equal(searcher.Explain(query, hit.Entry)!.Value, hit.Score);

                var best = searcher.Search(query, ByScore, 0, 10);
                Assert.Equal(all.Hits.Take(10), best.Hits);
                var limited = searcher.Search(query, ByScore, 0, 10, new SearchOptions { CountUpTo = 20 });
                Assert.Equal(all.Hits.Take(10), limited.Hits);
                Assert.True(
                    limited.TotalIsExact
                        ? limited.Total == all.Total
                        : limited.Total is > 20 && limited.Total <= all.Total,
                    name
                );
                tried += expected.Length > 0 ? 1 : 0;
            }
        }

        Assert.True(tried > (distance < 200 ? 20 : 5), $"only {tried} of the phrases are there at all");
    }

    [Fact]
    public async Task Positions_beyond_a_byte_and_blocks_with_very_many_are_read_too()
    {
        var random = new Random(7);
        await AddAsync(
            Enumerable
                .Range(0, 400)
                .Select(i =>
                    Enumerable
                        .Range(0, i % 7 == 0 ? 700 : 60)
                        .Select(_ =>
                            random.Next(3) switch
                            {
                                0 => "a",
                                1 => "b",
                                _ => "c",
                            }
                        )
                        .ToArray()
                )
        );
        using var reader = _store.OpenReader();
        var searcher = new Searcher(reader);
        foreach (var distance in new[] { 1, 2, 300, 650 })
        {
            var query = new PhraseQuery("Text", [Word('a', 0), Word('b', distance)]);
            var hits = searcher.Search(query, ByScore, 0, int.MaxValue).Hits;
            Assert.Equal(
                Enumerable.Range(0, _texts.Count).Where(e => Frequency(_texts[e], 'a', 'b', distance) > 0),
                hits.Select(h => h.Entry).Order()
            );
            foreach (var hit in hits.Take(30))
                Assert.Equal(searcher.Explain(query, hit.Entry)!.Value, hit.Score);
        }
    }

    private async Task FillAsync(int longest, int seed)
    {
        var random = new Random(seed);
        await AddAsync(
            Enumerable
                .Range(0, Documents)
                .Select(i =>
                    Enumerable
                        .Range(0, random.Next(1, i % 3 == 0 ? longest : 13))
                        .Select(_ =>
                            random.Next(1000) switch
                            {
                                < 250 => "a",
                                < 450 => "b",
                                < 458 => "c",
                                < 464 => "d",
                                < 466 => "e",
                                _ => random.Next(40) == 0 && i is > 2000 and < 2020 ? "f"
                                : i is < 1000 or > 8000 ? "x"
                                : "other",
                            }
                        )
                        .ToArray()
                )
        );
        using var deleting = _store.NewBatch();
        for (var i = 0; i < Documents; i += 17)
            deleting.Delete(Encoding.UTF8.GetBytes($"d{i}"));
        await _store.CommitAsync([deleting], 2);
    }

    private async Task AddAsync(IEnumerable<string[]> texts)
    {
        var field = _store.Field("Text", new FieldOptions { Indexing = TermForm.Search });
        using var batch = _store.NewBatch();
        foreach (var words in texts)
        {
            var entry = batch.Begin(Encoding.UTF8.GetBytes($"d{_texts.Count}"));
            entry.BeginText(field);
            foreach (var word in words)
                entry.AddToken(field, Encoding.UTF8.GetBytes(word), 1);
            entry.End();
            _texts.Add(words);
        }

        await _store.CommitAsync([batch], 1);
    }

    private static PhraseTerm Word(char word, int position) => new(new[] { (byte)word }, position);

    private static int Frequency(string[] text, char first, char second, int distance) =>
        Enumerable
            .Range(0, Math.Max(0, text.Length - distance))
            .Count(i =>
                text[i][0] == first
                && text[i].Length == 1
                && text[i + distance][0] == second
                && text[i + distance].Length == 1
            );
}
