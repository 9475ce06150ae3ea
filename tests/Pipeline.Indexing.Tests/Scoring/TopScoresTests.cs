using Xunit;

namespace Pipeline.Indexing.Tests.Scoring;

public sealed class TopScoresTests
{
    [Fact]
    public void The_best_are_kept_and_of_equals_the_lowest_entries()
    {
        var random = new Random(3);
        var top = new TopScores();
        foreach (var capacity in new[] { 0, 1, 2, 10, 100, 5000 })
        {
            var all = Enumerable.Range(0, 3000).Select(e => (Entry: e, Score: random.Next(40) / 7f)).ToArray();
            random.Shuffle(all);
            var expected = all.OrderByDescending(a => a.Score)
                .ThenBy(a => a.Entry)
                .Select(a => new Hit(a.Entry, a.Score))
                .ToList();
            var below = ulong.MaxValue;
            for (var from = 0; from < Math.Min(3 * capacity, all.Length); from += capacity)
            {
                top.Reset(capacity, below);
                foreach (var (entry, score) in all)
                    top.Add(entry, score);
                Assert.Equal(expected.Skip(from).Take(capacity), top.Take(out var next));
                top.Reset(capacity, below);
                top.AddAll([.. all.Select(a => a.Entry)], [.. all.Select(a => a.Score)]);
                Assert.Equal(expected.Skip(from).Take(capacity), top.Take(out below));
                Assert.Equal(next, below);
            }
        }
    }

    [Fact]
    public void Until_it_is_full_anything_is_taken_and_then_only_what_beats_the_worst()
    {
        var top = new TopScores();
        top.Reset(2);
        Assert.True(top.Add(5, 0));
        Assert.Equal(-1, top.Threshold);
        Assert.True(top.Add(6, 2));
        Assert.Equal(0, top.Threshold);
        Assert.False(top.Add(7, -0f));
        Assert.True(top.Add(4, 0));
    }
}
