using System.Text;
using Pipeline.Indexing.Suggestions;
using Pipeline.Storage;
using Xunit;

namespace Pipeline.Indexing.Tests.Suggestions;

/// <summary>The search skips no word of the dictionary that would be suggested.</summary>
public sealed class SuggestionSearchTests
{
    private const string Field = "Name";

    [Theory]
    [InlineData(SuggestionDistance.Levenshtein)]
    [InlineData(SuggestionDistance.JaroWinkler)]
    [InlineData(SuggestionDistance.NGram)]
    public async Task Suggestions_are_those_of_all_terms_compared(SuggestionDistance distance)
    {
        var random = new Random(3);
        for (var round = 0; round < 12; round++)
        {
            // Few letters, of one to three bytes, so that many terms are equally similar.
            var terms = Enumerable
                .Range(0, 1 + random.Next(1500))
                .Select(_ => Word(random))
                .ToHashSet(StringComparer.Ordinal);
            using var environment = StorageEnvironment.Open(new StorageOptions());
            using var store = await StoreAsync(environment, terms, random);
            using var reader = store.OpenReader();
            for (var i = 0; i < 30; i++)
            {
                var word = Encoding.UTF8.GetBytes(random.Next(3) == 0 ? terms.First() : Word(random));
                var options = new SuggestionOptions
                {
                    Distance = distance,
                    PageSize = random.Next(1, 30),
                    Accuracy = random.Next(0, 10) / 10f,
                    SortMode = (SuggestionSortMode)random.Next(2),
                };
                Assert.Equal(
                    OfAll(reader, word, options).Select(Rank),
                    Suggester.Suggest(reader, Field, word, options, CancellationToken.None).Select(Rank)
                );
            }
        }

        // Which of equally similar and popular ones is kept is not said.
        static (float, int) Rank(Suggestion suggestion) => (suggestion.Similarity, suggestion.Popularity);
    }

    [Fact]
    public async Task Most_terms_are_not_looked_at()
    {
        var random = new Random(4);
        var terms = Enumerable
            .Range(0, 60_000)
            .Select(_ =>
                string.Concat(Enumerable.Range(0, random.Next(5, 14)).Select(_ => (char)random.Next('a', 'z' + 1)))
            )
            .ToHashSet(StringComparer.Ordinal);
        string[] near = ["translation", "translations", "translating", "translated", "translator"];
        terms.UnionWith(near);
        using var environment = StorageEnvironment.Open(new StorageOptions());
        using var store = await StoreAsync(environment, terms, random);
        using var reader = store.OpenReader();

        // A page that is full of near ones needs no more than those with beginnings like the word's.
        var (found, seen) = Search(reader, "translatiom", new SuggestionOptions { PageSize = 2 });
        Assert.Equal(["translation", "translations"], found.Order());
        Assert.InRange(seen, 1, terms.Count / 2);

        // Else the bound ends it, and near ones are found though they lie behind it.
        (found, seen) = Search(reader, "zranslation", new SuggestionOptions { MaxTerms = 100, Accuracy = 0.8f });
        Assert.Equal(["translation", "translations"], found.Order());
        Assert.InRange(seen, 100, terms.Count);
        Assert.Equal(
            100,
            seen - Search(reader, "zranslation", new SuggestionOptions { MaxTerms = 0, Accuracy = 0.8f }).Seen
        );
    }

    private static (IEnumerable<string> Found, long Seen) Search(
        IndexReader reader,
        string word,
        SuggestionOptions options
    )
    {
        Assert.True(reader.TryGetField(Field, out var field));
        var collector = new SuggestionCollector(Encoding.UTF8.GetBytes(word), options);
        var search = new SuggestionSearch(reader.OpenTerms(field), collector, options, CancellationToken.None);
        search.Run();
        return (collector.ToList().Select(s => s.Term), search.Seen);
    }

    private static IReadOnlyList<Suggestion> OfAll(IndexReader reader, byte[] word, SuggestionOptions options)
    {
        Assert.True(reader.TryGetField(Field, out var field));
        var collector = new SuggestionCollector(word, options);
        var terms = reader.OpenTerms(field);
        for (var found = terms.Seek(default); found; found = terms.MoveNext())
            collector.Offer(terms);
        return collector.ToList();
    }

    private static string Word(Random random) =>
        string.Concat(Enumerable.Range(0, random.Next(1, 10)).Select(_ => "aabcé日"[random.Next(6)]));

    private static async Task<IndexStore> StoreAsync(
        StorageEnvironment environment,
        IEnumerable<string> terms,
        Random random
    )
    {
        var store = IndexStore.Open(environment);
        var field = store.Field(Field);
        using var batch = store.NewBatch();
        var number = 0;
        foreach (var term in terms)
        {
            for (var copies = random.Next(1, 4); copies > 0; copies--)
            {
                var entry = batch.Begin(Encoding.UTF8.GetBytes($"items/{number++}"));
                entry.AddTerm(field, Encoding.UTF8.GetBytes(term));
                entry.End();
            }
        }

        await store.CommitAsync([batch], 1);
        return store;
    }
}
