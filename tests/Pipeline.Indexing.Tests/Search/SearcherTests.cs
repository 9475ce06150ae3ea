using Xunit;

namespace Pipeline.Indexing.Tests.Search;

public sealed class SearcherTests
{
    private static readonly SearchOptions Limited = new() { CountUpTo = 20 };

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public async Task Random_queries_find_count_and_score_as_the_evaluator_does(int seed)
    {
        using var fixture = await SearchFixture.MakeAsync(seed, documents: 700, commits: 3);
        var (queries, brute) = (new RandomQueries(fixture), new BruteForce(fixture));
        for (var i = 0; i < 150; i++)
        {
            var query = queries.Next(i % 3);
            var expected = brute.Run(query);
            var name = $"seed {seed}, query {i}: {Show(query)}";
            Assert.True(expected.Count == fixture.Searcher.Count(query), name);

            var all = fixture.Searcher.Search(query, [], 0, int.MaxValue);
            Assert.True(expected.Keys.Order().SequenceEqual(all.Hits.Select(h => h.Entry)), name);
            Assert.Equal((expected.Count, true), ((int)all.Total, all.TotalIsExact));

            CheckBest(fixture, query, expected, name);
        }
    }

    [Theory]
    [InlineData(11)]
    [InlineData(12)]
    public async Task The_best_of_words_are_found_though_most_blocks_are_passed_over(int seed)
    {
        using var fixture = await SearchFixture.MakeAsync(seed, documents: 3000, commits: 3, single: true);
        var (queries, brute) = (new RandomQueries(fixture), new BruteForce(fixture));
        for (var i = 0; i < 40; i++)
        {
            var query = queries.Words(all: i % 3 == 0);
            CheckBest(fixture, query, brute.Run(query), $"seed {seed}, query {i}: {Show(query)}");
        }
    }

    [Fact]
    public async Task A_sloppy_phrase_is_found_where_its_words_can_be_moved_to_and_scores_more_the_nearer_they_are()
    {
        using var fixture = await SearchFixture.MakeAsync(seed: 5, documents: 400, commits: 2);
        var brute = new BruteForce(fixture);
        for (var i = 0; i < 200; i++)
        {
            var words = Enumerable
                .Range(0, fixture.Random.Next(2, 4))
                .Select(p => new PhraseTerm(System.Text.Encoding.UTF8.GetBytes(fixture.Word()), p))
                .ToArray();
            var query = new PhraseQuery("Text", words, fixture.Random.Next(1, 5));
            var found = fixture.Searcher.Search(query, [], 0, int.MaxValue).Hits.Select(h => h.Entry);
            Assert.True(
                brute.Run(query).Keys.Order().SequenceEqual(found),
                $"query {i}: {string.Join(' ', words.Select(w => System.Text.Encoding.UTF8.GetString(w.Term.Span)))}~{query.Slop}"
            );
        }
    }

    [Fact]
    public async Task Explanations_come_to_the_score_and_only_for_entries_that_match()
    {
        using var fixture = await SearchFixture.MakeAsync(seed: 6, documents: 600, commits: 3);
        var queries = new RandomQueries(fixture);
        var explained = 0;
        for (var i = 0; i < 200; i++)
        {
            var query = queries.Next(2);
            var hits = fixture.Searcher.Search(query, [SearchOrder.Score], 0, 5).Hits;
            foreach (var hit in hits)
            {
                var explanation = fixture.Searcher.Explain(query, hit.Entry);
                Assert.NotNull(explanation);
                Assert.Equal(hit.Score, explanation.Value, hit.Score * 1e-5f + 1e-6f);
                explained++;
            }

            var other = fixture.Random.Next(fixture.Reader.EntryCount);
            if (fixture.Searcher.Explain(query, other) is not null)
                Assert.Contains(fixture.Searcher.Search(query, [], 0, int.MaxValue).Hits, h => h.Entry == other);
        }

        Assert.True(explained > 200);
    }

    [Fact]
    public async Task A_scored_expansion_scores_its_terms_and_has_a_limit()
    {
        using var fixture = await SearchFixture.MakeAsync(seed: 7, documents: 300, commits: 1);
        var terms = fixture
            .Live.Values.SelectMany(d => d.Texts)
            .SelectMany(t => t)
            .Where(t => t.StartsWith("w1", StringComparison.Ordinal))
            .Distinct();
        var expected = new BruteForce(fixture).Run(BooleanQuery.Or([.. terms.Select(t => new TermQuery("Text", t))]));
        CheckScores(
            fixture.Searcher.Search(new PrefixQuery("Text", "w1") { Scored = true }, [SearchOrder.Score], 0, 20).Hits,
            expected,
            0,
            20,
            "prefix"
        );
        CheckScores(
            fixture
                .Searcher.Search(new WildcardQuery("Text", "w1*") { Scored = true }, [SearchOrder.Score], 0, 20)
                .Hits,
            expected,
            0,
            20,
            "wildcard"
        );
        var error = Assert.Throws<QueryLimitException>(() =>
            fixture.Searcher.Search(
                new PrefixQuery("Text", "w") { Scored = true },
                [SearchOrder.Score],
                0,
                1,
                new SearchOptions { MaxScoredExpansions = 5 }
            )
        );
        Assert.Equal(("MaxScoredExpansions", 5, 6), (error.Limit, error.Allowed, error.Needed));
        var near = fixture.Searcher.Search(
            new FuzzyQuery("Text", "w12", 1) { Scored = true },
            [SearchOrder.Score],
            0,
            10
        );
        Assert.Equal(fixture.Searcher.Count(new FuzzyQuery("Text", "w12", 1)), near.Total);
    }

    [Fact]
    public async Task What_cannot_be_run_is_refused_with_its_reason()
    {
        using var fixture = await SearchFixture.MakeAsync(seed: 8, documents: 300, commits: 1);
        var memory = Assert.Throws<QueryLimitException>(() =>
            fixture.Searcher.Count(new PrefixQuery("Text", "w"), new SearchOptions { MaxMemoryBytes = 8 })
        );
        Assert.Equal(("MaxMemoryBytes", 8, "prefix"), (memory.Limit, memory.Allowed, memory.Step));
        Assert.Throws<QueryException>(() => fixture.Searcher.Count(new PhraseQuery("Tag", "a", "b")));
        Assert.Throws<QueryException>(() => fixture.Searcher.Count(new BoostQuery(AllQuery.Instance, float.NaN)));
        Assert.Throws<QueryException>(() => fixture.Searcher.Count(new FuzzyQuery("Text", "w", 11)));
        Query deep = AllQuery.Instance;
        for (var i = 0; i < 300; i++)
            deep = BooleanQuery.Not(deep);
        Assert.Throws<QueryException>(() => fixture.Searcher.Count(deep));
        using var stopped = new CancellationTokenSource();
        stopped.Cancel();
        Assert.Throws<OperationCanceledException>(() =>
            fixture.Searcher.Search(new SuffixQuery("Text", "1"), [SearchOrder.Score], 0, 1, null, stopped.Token)
        );
        Assert.Throws<OperationCanceledException>(() =>
            fixture.Searcher.Search(
                BooleanQuery.Or(new TermQuery("Text", "w1"), new TermQuery("Text", "w2")),
                [SearchOrder.Score],
                0,
                1,
                null,
                stopped.Token
            )
        );
    }

    [Fact]
    public async Task The_plan_has_estimates_real_counts_and_times_of_each_step()
    {
        using var fixture = await SearchFixture.MakeAsync(seed: 9, documents: 800, commits: 1);
        var query = new BooleanQuery
        {
            Must = [new TermQuery("Text", "w1")],
            Filter = [new NumberRangeQuery("Number", 0, 50)],
        };
        var result = fixture.Searcher.Search(query, [SearchOrder.Score], 0, 10, new SearchOptions { Timings = true });
        var and = Assert.Single(result.Plan.Steps);
        Assert.Equal(("and", (long?)result.Total), (and.Operation, and.ActualCount));
        Assert.Equal(["range", "term"], and.Steps.Select(s => s.Operation).Order());
        Assert.All(
            and.Steps,
            s =>
                Assert.True(
                    s.ActualCount >= result.Total && s.Elapsed > TimeSpan.Zero && s.EstimatedCount >= result.Total,
                    s.ToString()
                )
        );
        Assert.Contains("term Text: w1 (estimated", result.Plan.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Searches_allocate_nothing_for_each_entry()
    {
        using var fixture = await SearchFixture.MakeAsync(seed: 10, documents: 3000, commits: 1);
        using var small = await SearchFixture.MakeAsync(seed: 10, documents: 300, commits: 1);
        Query[] queries =
        [
            new TermQuery("Text", "w1"),
            BooleanQuery.Or(new TermQuery("Text", "w1"), new TermQuery("Text", "w2")),
            BooleanQuery.And(new TermQuery("Text", "w1"), new TermQuery("Text", "w2")),
            new PhraseQuery("Text", "w1", "w2"),
            new BooleanQuery
            {
                Must = [new TermQuery("Text", "w1")],
                MustNot = [new TermQuery("Text", "w3")],
                Should = [new TermQuery("Text", "w2")],
            },
        ];
        foreach (var query in queries)
        {
            foreach (
                var order in new IReadOnlyList<SearchOrder>[]
                {
                    [SearchOrder.Score],
                    [new FieldOrder("Number", SortForm.Long)],
                }
            )
            {
                var (few, many) = (Allocated(small.Searcher, query, order), Allocated(fixture.Searcher, query, order));
                Assert.True(many <= few + 1024, $"{Show(query)}: {few} bytes over 300 entries, {many} over 3,000");
            }
        }
    }

    private static long Allocated(Searcher searcher, Query query, IReadOnlyList<SearchOrder> order)
    {
        searcher.Search(query, order, 0, 10);
        searcher.Search(query, order, 0, 10);
        var before = GC.GetAllocatedBytesForCurrentThread();
        searcher.Search(query, order, 0, 10);
        return GC.GetAllocatedBytesForCurrentThread() - before;
    }

    private static void CheckBest(SearchFixture fixture, Query query, Dictionary<int, double> expected, string name)
    {
        var (skip, take) = (fixture.Random.Next(12), fixture.Random.Next(1, 30));
        foreach (
            var options in new[]
            {
                null,
                Limited,
                new SearchOptions { Timings = true },
                new SearchOptions { MaxSortWindow = 7 },
            }
        )
        {
            var best = fixture.Searcher.Search(query, [SearchOrder.Score], skip, take, options);
            CheckTotal(best, expected.Count, options, name);
            CheckScores(best.Hits, expected, skip, take, name);
        }
    }

    private static void CheckTotal(SearchResult result, int expected, SearchOptions? options, string name)
    {
        if (result.TotalIsExact)
        {
            Assert.True(expected == result.Total, $"{name}: {result.Total}, not {expected}");
        }
        else
        {
            Assert.True(
                options?.CountUpTo is { } limit && result.Total > limit && result.Total <= expected,
                $"{name}: {result.Total} of {expected} counted"
            );
        }
    }

    // Scores are single precision: hits must have the scores of the best, and each its own.
    private static void CheckScores(
        IReadOnlyList<Hit> hits,
        Dictionary<int, double> expected,
        int skip,
        int take,
        string name
    )
    {
        var best = expected.OrderByDescending(e => e.Value).ThenBy(e => e.Key).Skip(skip).Take(take).ToList();
        Assert.True(best.Count == hits.Count, $"{name}: {hits.Count} hits, not {best.Count}");
        for (var i = 0; i < hits.Count; i++)
        {
            var slack = Math.Max(1e-5, best[i].Value * 1e-5);
            Assert.True(
                Math.Abs(hits[i].Score - best[i].Value) < slack,
                $"{name}: hit {i} scores {hits[i].Score}, not {best[i].Value}"
            );
            Assert.True(
                Math.Abs(hits[i].Score - expected[hits[i].Entry]) < slack,
                $"{name}: entry {hits[i].Entry} scores {hits[i].Score}, not {expected[hits[i].Entry]}"
            );
            if (i > 0 && hits[i].Score == hits[i - 1].Score)
                Assert.True(hits[i].Entry > hits[i - 1].Entry, $"{name}: equals are not in order");
        }
    }

    private static string Show(Query query) =>
        query is BooleanQuery q
            ? $"({string.Join(' ', q.Must.Select(m => "+" + Show(m)).Concat(q.Filter.Select(m => "#" + Show(m))).Concat(q.Should.Select(Show)).Concat(q.MustNot.Select(m => "-" + Show(m))))})/{q.MinimumShouldMatch}"
            : query switch
            {
                TermQuery t => $"{t.Field}:{System.Text.Encoding.UTF8.GetString(t.Term.Span)}",
                BoostQuery b => $"{Show(b.Inner)}^{b.Factor}",
                ConstantScoreQuery c => $"{Show(c.Inner)}={c.Score}",
                _ => query.ToString()!,
            };
}
