using System.Text;
using Pipeline.Storage;
using Xunit;

namespace Pipeline.Indexing.Tests.Postings;

public sealed class PostingCursorTests
{
    private const int Entries = 30_000;

    private static readonly int[] Sequence = [.. Enumerable.Range(0, 16)];

    public static TheoryData<double> Densities => [0.9, 0.5, 0.2, 0.03, 0.001, 0.0001];

    [Theory]
    [MemberData(nameof(Densities))]
    public async Task Skips_fills_and_bounds_agree_with_the_list(double density)
    {
        var random = new Random((int)(density * 1e6));
        using var environment = StorageEnvironment.Open(new StorageOptions());
        using var store = IndexStore.Open(environment);
        var field = store.Field("Text", new FieldOptions { Indexing = TermForm.Search });
        var list = new List<(int Entry, int Frequency, int Length)>();
        var next = 0;
        foreach (var count in new[] { 20_000, 100, Entries - 20_100 })
        {
            using var batch = store.NewBatch();
            for (var i = 0; i < count; i++, next++)
            {
                var entry = batch.Begin(Encoding.UTF8.GetBytes($"d{next}"));
                entry.BeginText(field);
                var length = random.Next(1, 9);
                var frequency = random.NextDouble() < density ? random.Next(1, length + 1) : 0;
                for (var t = 0; t < length; t++)
                    entry.AddToken(field, t < frequency ? "word"u8 : "other"u8, 1);
                if (frequency > 0)
                    list.Add((next, frequency, length));
                entry.End();
            }

            await store.CommitAsync([batch], next);
        }

        using var reader = store.OpenReader();
        var cursor = reader.OpenPostings(field, "word"u8)!;
        Assert.Equal(list.Count, cursor.Cost);
        Assert.Equal(list.Select(e => e.Entry), IndexComparison.All(cursor));
        Assert.Equal(EntryIterator.End, cursor.Next());
        Assert.Equal(EntryIterator.End, cursor.SkipTo(0));
        Fill(reader.OpenPostings(field, "word"u8)!, random, list);
        for (var step = 1; step < Entries; step *= 5)
        {
            Skip(reader.OpenPostings(field, "word"u8)!, random, list, step, looksAhead: false);
            Skip(reader.OpenPostings(field, "word"u8)!, random, list, step, looksAhead: true);
        }
    }

    [Fact]
    public async Task A_cursor_is_at_its_end_when_the_reader_is_gone()
    {
        using var environment = StorageEnvironment.Open(new StorageOptions());
        using var store = IndexStore.Open(environment);
        var field = store.Field("Tag");
        using var batch = store.NewBatch();
        var entry = batch.Begin("a"u8);
        entry.AddTerm(field, "x"u8);
        entry.End();
        await store.CommitAsync([batch], 1);
        var reader = store.OpenReader();
        var cursor = reader.OpenPostings(field, "x"u8)!;
        var terms = reader.OpenTerms(field);
        Assert.True(terms.Seek(default));
        Assert.Equal(0, cursor.Next());
        reader.Dispose();
        Assert.Equal(EntryIterator.End, cursor.Current);
        Assert.Equal(EntryIterator.End, cursor.Next());
        Assert.False(terms.MoveNext());
        Assert.Throws<ObjectDisposedException>(() => reader.OpenPostings(field, "x"u8));
    }

    private static void Fill(PostingCursor cursor, Random random, List<(int Entry, int Frequency, int Length)> list)
    {
        var all = new List<int>();
        var buffer = new int[300];
        for (int count; (count = cursor.Fill(buffer.AsSpan(0, random.Next(1, 300)))) > 0; )
        {
            all.AddRange(buffer.AsSpan(0, count));
            Assert.Equal(all.Count < list.Count ? list[all.Count].Entry : EntryIterator.End, cursor.Current);
        }

        Assert.Equal(list.Select(e => e.Entry), all);
    }

    private static void Skip(
        PostingCursor cursor,
        Random random,
        List<(int Entry, int Frequency, int Length)> list,
        int step,
        bool looksAhead
    )
    {
        var index = list.Count == 0 ? -1 : 0;
        for (var target = random.Next(step); target < Entries; target += random.Next(1, 2 * step))
        {
            while (index >= 0 && list[index].Entry < target)
                index = index + 1 < list.Count ? index + 1 : -1;
            if (looksAhead)
            {
                var before = cursor.Current;
                var frequency = cursor.Frequency;
                var end = cursor.BlockEnd(Math.Max(target, before));
                Assert.Equal(before, cursor.Current);
                Assert.Equal(frequency, cursor.Frequency);
                Assert.True(index < 0 ? end == EntryIterator.End : end >= list[index].Entry);
                if (index >= 0)
                {
                    var (most, least) = cursor.BlockImpact;
                    Assert.True(list[index].Frequency <= most && list[index].Length >= least);
                }

                if (random.Next(2) == 0)
                    continue;
            }

            var expected = index < 0 ? EntryIterator.End : list[index].Entry;
            Assert.Equal(Math.Max(expected, cursor.Current), cursor.SkipTo(target));
            if (index < 0)
                return;
            Assert.Equal(list[index].Frequency, cursor.Frequency);
            Assert.True(cursor.Positions().SequenceEqual(Sequence.AsSpan(0, list[index].Frequency)));
        }
    }
}
