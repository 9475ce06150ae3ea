using System.Numerics;
using System.Text;
using Xunit;

namespace Pipeline.Indexing.Tests;

/// <summary>Compares everything that a reader returns with the model.</summary>
internal static class IndexComparison
{
    public static void AssertEqual(IndexModel model, IndexStore store)
    {
        using var reader = store.OpenReader();
        Assert.Equal(model.Progress, reader.Progress);
        Assert.Equal(model.EntryCount, reader.EntryCount);
        Assert.Equal(model.Entries.Count, reader.LiveCount);
        Assert.Equal(model.Entries.Keys, All(reader.OpenAll()));
        foreach (var (number, entry) in model.Entries)
        {
            Assert.True(reader.TryGetEntry(number, out var id, out var stored));
            Assert.Equal(entry.Document, Encoding.UTF8.GetString(id));
            Assert.Equal(entry.Stored, stored.ToArray());
        }

        foreach (var (document, entries) in model.Documents)
        {
            var found = new List<int>();
            reader.GetEntries(Encoding.UTF8.GetBytes(document), found);
            Assert.Equal(entries, found);
        }

        foreach (var name in ModelFields.Names)
        {
            if (reader.TryGetField(name, out var field))
            {
                AssertTerms(model, reader, field);
                AssertColumns(model, reader, field);
                AssertNumbers(model, reader, field);
            }
            else
            {
                Assert.DoesNotContain(model.Entries.Values, e => e.Values.Any(v => v.Field == name));
            }
        }
    }

    public static List<int> All(EntryIterator? iterator, IndexReader? reader = null)
    {
        var all = new List<int>();
        if (iterator is null)
            return all;
        while (iterator.Next() != EntryIterator.End)
        {
            if (reader?.Deleted?.Contains(iterator.Current) != true)
                all.Add(iterator.Current);
        }

        return all;
    }

    private static void AssertTerms(IndexModel model, IndexReader reader, IndexField field)
    {
        var expected = model.Terms(field.Name);
        var cursor = reader.OpenTerms(field);
        var seen = new List<string>();
        for (var found = cursor.Seek(default); found; found = cursor.MoveNext())
        {
            var term = Encoding.UTF8.GetString(cursor.Term);
            var list = expected.GetValueOrDefault(term) ?? [];
            AssertList(reader, field, cursor.OpenPostings(), cursor.Info, list);
            if (list.Count == 0)
                continue;
            seen.Add(term);
            Assert.True(reader.TryGetTerm(field, cursor.Term, out var info));
            Assert.Equal(cursor.Info, info);
            if (info.Id >= 0)
                Assert.Equal(term, Encoding.UTF8.GetString(reader.GetTerm(field, info.Id)));
        }

        Assert.Equal(expected.Keys, seen);
        Assert.Equal(Entries(model, field, v => v.IsNull), All(reader.OpenNulls(field), reader));
        Assert.Equal(Entries(model, field, _ => true), All(reader.OpenExists(field), reader));
        if (field.Options.Indexing != TermForm.Search)
            return;
        var lengths = reader.OpenLengths(field);
        long entries = 0,
            tokens = 0;
        foreach (var (number, entry) in model.Entries)
        {
            var texts = entry.Values.Where(v => v.Field == field.Name && v.Tokens is not null).ToList();
            var length = texts.Sum(t => t.Tokens!.Length);
            Assert.Equal(length, lengths[number]);
            tokens += length;
            entries += texts.Count > 0 ? 1 : 0;
        }

        Assert.Equal(new FieldStatistics(entries, tokens), reader.GetStatistics(field));
    }

    private static void AssertList(
        IndexReader reader,
        IndexField field,
        PostingCursor cursor,
        TermInfo info,
        SortedDictionary<int, List<int>> expected
    )
    {
        var lengths = reader.OpenLengths(field);
        var isSearched = field.Options.Indexing == TermForm.Search;
        var left = new SortedDictionary<int, List<int>>(expected);
        var count = 0;
        while (cursor.Next() != EntryIterator.End)
        {
            count++;
            var entry = cursor.Current;
            var end = cursor.BlockEnd(entry);
            Assert.InRange(end, entry, reader.EntryCount - 1);
            var (frequency, length) = cursor.BlockImpact;
            Assert.True(cursor.Frequency <= frequency && cursor.Frequency <= info.MaxFrequency);
            if (isSearched)
                Assert.True(length <= lengths[entry] && info.MinLength <= length);
            if (reader.Deleted?.Contains(entry) == true)
                continue;
            Assert.True(
                left.Remove(entry, out var positions),
                $"entry {entry} is in the list of a term that it does not have"
            );
            Assert.Equal(isSearched ? positions!.Count : 1, cursor.Frequency);
            if (isSearched && field.Options.Positions)
                Assert.Equal(positions, cursor.Positions().ToArray());
            else
                Assert.Equal(0, cursor.Positions().Length);
        }

        Assert.Empty(left);
        Assert.Equal(info.DocumentFrequency, count);
        if (reader.Deleted is null)
            Assert.Equal(expected.Values.Sum(p => (long)(isSearched ? p.Count : 1)), info.TotalFrequency);
    }

    private static void AssertColumns(IndexModel model, IndexReader reader, IndexField field)
    {
        AssertColumn(model, reader, field, ColumnKind.Long, v => v.Long);
        AssertColumn(
            model,
            reader,
            field,
            ColumnKind.Double,
            v => v.Double is { } d ? BitConverter.DoubleToInt64Bits(d) : null
        );
        AssertColumn(model, reader, field, ColumnKind.Point, v => (long?)v.Point);
        if (field.Options.Indexing == TermForm.Search || reader.OpenColumn(field, ColumnKind.Term) is not { } terms)
        {
            return;
        }

        foreach (var (number, entry) in model.Entries)
        {
            var ids = new List<long>();
            terms.GetValues(number, ids);
            var expected = entry
                .Values.Where(v => v.Field == field.Name && v.Term is not null)
                .Select(v => v.Term!)
                .Distinct();
            Assert.Equal(expected, ids.Select(id => Encoding.UTF8.GetString(reader.GetTerm(field, (int)id))));
        }
    }

    private static void AssertColumn(
        IndexModel model,
        IndexReader reader,
        IndexField field,
        ColumnKind kind,
        Func<ModelValue, long?> select
    )
    {
        var column = reader.OpenColumn(field, kind);
        foreach (var (number, entry) in model.Entries)
        {
            var expected = entry
                .Values.Where(v => v.Field == field.Name)
                .Select(select)
                .Where(v => v is not null)
                .Select(v => v!.Value)
                .ToList();
            var values = new List<long>();
            column?.GetValues(number, values);
            Assert.Equal(expected, values);
            var has = false;
            long first = 0;
            if (column is not null)
                has = column.TryGet(number, out first);
            Assert.Equal(expected.Count > 0, has);
            Assert.True(!has || first == expected[0]);
            Assert.True(expected.Count < 2 || reader.HasMultiple(field, kind));
        }
    }

    private static void AssertNumbers(IndexModel model, IndexReader reader, IndexField field)
    {
        var expected = new List<(NumericKey Key, int Entry)>();
        var points = new List<(NumericKey Key, int Entry)>();
        foreach (var (number, entry) in model.Entries)
        {
            foreach (var value in entry.Values.Where(v => v.Field == field.Name))
            {
                if (value.Long is { } l)
                    expected.Add((NumericKey.From(l), number));
                if (value.Double is { } d && NumericKey.TryFrom(d, out var key))
                    expected.Add((key, number));
                if (value.Point is { } p)
                    points.Add((new NumericKey(p, 0), number));
            }
        }

        AssertNumbers(reader.OpenNumbers(field), expected, reader.EntryCount);
        AssertNumbers(reader.OpenPoints(field), points, reader.EntryCount);
    }

    private static void AssertNumbers(
        NumericReader? numbers,
        List<(NumericKey Key, int Entry)> expected,
        int entryCount
    )
    {
        expected.Sort();
        if (numbers is null)
        {
            Assert.Empty(expected);
            return;
        }

        var found = new List<(NumericKey, int)>();
        var cursor = numbers.OpenCursor();
        for (var on = cursor.Seek(NumericKey.Min); on; on = cursor.MoveNext())
            found.Add((cursor.Key, cursor.Entry));
        Assert.Equal(expected, found);
        found.Clear();
        for (var on = cursor.SeekLast(NumericKey.Max); on; on = cursor.MovePrevious())
            found.Add((cursor.Key, cursor.Entry));
        found.Reverse();
        Assert.Equal(expected, found);
        var random = new Random(expected.Count);
        for (var i = 0; i < 20 && expected.Count > 0; i++)
        {
            var low = expected[random.Next(expected.Count)].Key;
            var high = expected[random.Next(expected.Count)].Key;
            var inside = expected.Where(e => e.Key >= low && e.Key <= high).ToList();
            Assert.Equal(inside.Count, numbers.Count(low, high));
            var bits = new ulong[(entryCount + 63) / 64];
            Assert.Equal(inside.Count, numbers.SetBits(low, high, bits));
            Assert.Equal(inside.Select(e => e.Entry).Distinct().Count(), bits.Sum(b => BitOperations.PopCount(b)));
            Assert.Equal(inside.Count > 0, cursor.Seek(low) && cursor.Key <= high);
        }
    }

    private static IEnumerable<int> Entries(IndexModel model, IndexField field, Func<ModelValue, bool> has) =>
        model.Entries.Where(e => e.Value.Values.Any(v => v.Field == field.Name && has(v))).Select(e => e.Key);
}
