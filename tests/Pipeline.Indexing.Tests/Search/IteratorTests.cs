using Xunit;

namespace Pipeline.Indexing.Tests.Search;

public sealed class IteratorTests
{
    private const int Entries = 10_000;

    private readonly QueryMemory _memory = new(1L << 30);

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public void Every_way_through_any_combination_gives_the_same_entries_as_sets_do(int seed)
    {
        var random = new Random(seed);
        for (var round = 0; round < 20; round++)
        {
            var seeds = random.Next();
            var sorted = Make(new Random(seeds), 2).Entries.Index().Where(e => e.Item).Select(e => e.Index).ToArray();
            foreach (var way in new Func<Random, EntryIterator, List<int>>[] { ByNext, BySkips, ByFill, Mixed })
            {
                var (_, iterator) = Make(new Random(seeds), 2);
                var found = way(random, iterator);
                if (way != BySkips)
                    Assert.Equal(sorted, found);
                else
                    Assert.All(found, e => Assert.True(Array.BinarySearch(sorted, e) >= 0));
                Assert.Equal(EntryIterator.End, iterator.Next());
                Assert.Equal(EntryIterator.End, iterator.SkipTo(3));
                Assert.Equal(0, iterator.Fill(new int[4]));
            }

            var (_, skipped) = Make(new Random(seeds), 2);
            for (
                var target = 0;
                skipped.Current != EntryIterator.End;
                target = Math.Min(skipped.Current, Entries) + random.Next(1, 700)
            )
            {
                var at = Array.BinarySearch(sorted, target);
                var next =
                    (at < 0 ? ~at : at) is var found && found < sorted.Length ? sorted[found] : EntryIterator.End;
                Assert.Equal(next, skipped.SkipTo(target));
                Assert.Equal(next, skipped.SkipTo(target));
                if (next == EntryIterator.End)
                    break;
            }
        }
    }

    [Fact]
    public void A_bitmap_over_the_memory_limit_is_refused_with_limit_and_need()
    {
        var memory = new QueryMemory(1000);
        using var first = new EntrySet(4000, memory, "prefix");
        var error = Assert.Throws<QueryLimitException>(() => new EntrySet(8000, memory, "range"));
        Assert.Equal(
            ("MaxMemoryBytes", 1000, 504 + 1000, "range"),
            (error.Limit, error.Allowed, error.Needed, error.Step)
        );
        first.Dispose();
        new EntrySet(8000, memory, "range").Dispose();
        Assert.Equal((0, 1000), (memory.Held, memory.Peak));
    }

    private static List<int> ByNext(Random random, EntryIterator iterator)
    {
        var found = new List<int>();
        while (iterator.Next() != EntryIterator.End)
            found.Add(iterator.Current);
        return found;
    }

    private static List<int> BySkips(Random random, EntryIterator iterator)
    {
        var found = new List<int>();
        for (var e = iterator.SkipTo(0); e != EntryIterator.End; e = iterator.SkipTo(e + random.Next(1, 300)))
            found.Add(e);
        return found;
    }

    private static List<int> ByFill(Random random, EntryIterator iterator)
    {
        var found = new List<int>();
        var buffer = new int[random.Next(1, 300)];
        for (int n; (n = iterator.Fill(buffer)) > 0; )
            found.AddRange(buffer[..n]);
        return found;
    }

    private static List<int> Mixed(Random random, EntryIterator iterator)
    {
        var found = new List<int>();
        var buffer = new int[100];
        iterator.Next();
        while (iterator.Current != EntryIterator.End)
        {
            if (random.Next(2) == 0)
            {
                found.AddRange(buffer[..iterator.Fill(buffer.AsSpan(0, random.Next(1, 100)))]);
            }
            else
            {
                found.Add(iterator.Current);
                if (random.Next(2) == 0)
                    iterator.Next();
                else
                    iterator.SkipTo(iterator.Current + 1);
            }
        }

        return found;
    }

    private (bool[] Entries, EntryIterator Iterator) Make(Random random, int depth)
    {
        switch (depth == 0 ? random.Next(1, 4) : random.Next(1, 8))
        {
            case 1:
                return (new bool[Entries], new EmptyIterator());
            case 2:
                var sorted = RandomSet(random);
                return (sorted, new SortedIterator(Numbers(sorted)));
            case 3:
                var bits = RandomSet(random);
                var bitmap = new EntrySet(Entries, _memory, "test");
                bitmap.AddAll(Numbers(bits));
                return (bits, new BitmapIterator(bitmap, 1));
            case 4:
                var several = Enumerable.Range(0, random.Next(2, 4)).Select(_ => Make(random, depth - 1)).ToList();
                return (
                    Where(e => several.TrueForAll(s => s.Entries[e])),
                    new ConjunctionIterator([.. several.Select(s => s.Iterator)])
                );
            case 5:
                var (from, but) = (Make(random, depth - 1), Make(random, depth - 1));
                return (
                    Where(e => from.Entries[e] && !but.Entries[e]),
                    new ExclusionIterator(from.Iterator, but.Iterator)
                );
            default:
                var some = Enumerable.Range(0, random.Next(1, 5)).Select(_ => Make(random, depth - 1)).ToList();
                var needed = random.Next(1, some.Count + 1);
                return (
                    Where(e => some.Count(s => s.Entries[e]) >= needed),
                    new UnionIterator([.. some.Select(s => s.Iterator)], needed)
                );
        }
    }

    private static int[] Numbers(bool[] set) => [.. Enumerable.Range(0, Entries).Where(e => set[e])];

    private static bool[] Where(Predicate<int> holds) => [.. Enumerable.Range(0, Entries).Select(e => holds(e))];

    private static bool[] RandomSet(Random random)
    {
        var share = Math.Pow(random.NextDouble(), 3);
        return Where(_ => random.NextDouble() < share);
    }
}
