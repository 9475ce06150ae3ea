using System.Text;
using Pipeline.Storage;
using Xunit;

namespace Pipeline.Indexing.Tests;

public sealed class EdgeCaseTests : IDisposable
{
    private readonly StorageEnvironment _environment = StorageEnvironment.Open(new StorageOptions());
    private readonly IndexStore _store;

    public EdgeCaseTests() => _store = IndexStore.Open(_environment);

    public void Dispose()
    {
        _store.Dispose();
        _environment.Dispose();
    }

    [Fact]
    public async Task A_term_over_the_limit_is_cut_between_characters_and_kept_apart_by_a_hash()
    {
        var field = _store.Field("Tag", new FieldOptions { Indexing = TermForm.Exact });
        var first = Encoding.UTF8.GetBytes(new string('ä', 300) + "a");
        var second = Encoding.UTF8.GetBytes(new string('ä', 300) + "b");
        await AddAsync(e => e.AddText(field, first), e => e.AddText(field, second));
        using var reader = _store.OpenReader();
        var buffer = new byte[IndexTerm.MaxLength];
        foreach (var (text, entry) in new[] { (first, 0), (second, 1) })
        {
            var term = IndexTerm.Normalize(text, buffer);
            Assert.True(term.Length is > 400 and <= IndexTerm.MaxLength);
            Assert.DoesNotContain('\uFFFD', Encoding.UTF8.GetString(term));
            Assert.Equal([entry], IndexComparison.All(reader.OpenPostings(field, term)));
        }
    }

    [Fact]
    public async Task The_empty_string_null_and_nothing_are_three_things()
    {
        var field = _store.Field("Tag");
        await AddAsync(e => e.AddText(field, ""u8), e => e.AddNull(field), _ => { });
        using var reader = _store.OpenReader();
        Assert.Equal([0], IndexComparison.All(reader.OpenPostings(field, ""u8)));
        Assert.Equal([1], IndexComparison.All(reader.OpenNulls(field)));
        Assert.Equal([0, 1], IndexComparison.All(reader.OpenExists(field)));
        var terms = reader.OpenTerms(field);
        Assert.True(terms.Seek(default) && terms.Term.IsEmpty && !terms.MoveNext());
    }

    [Fact]
    public async Task Bytes_that_are_not_UTF8_become_replacement_characters()
    {
        var field = _store.Field("Tag");
        var text = _store.Field("Text", new FieldOptions { Indexing = TermForm.Search });
        await AddAsync(e =>
        {
            e.AddText(field, [(byte)'A', 0xFF, 0xFE, (byte)'B']);
            e.AddText(field, [0xFF, 0]);
            e.AddText(text, [(byte)'x', (byte)' ', 0xC3, 0x28, (byte)'y']);
            e.AddToken(text, [0xFF, 1], 1);
        });
        using var reader = _store.OpenReader();
        Assert.Equal([0], IndexComparison.All(reader.OpenPostings(field, "a\uFFFD\uFFFDb"u8)));
        Assert.Null(reader.OpenNulls(field));
        Assert.NotNull(reader.OpenPostings(text, "y"u8));
        var terms = reader.OpenTerms(text);
        Assert.True(terms.Seek(default));
        do Assert.True(System.Text.Unicode.Utf8.IsValid(terms.Term));
        while (terms.MoveNext());
    }

    [Fact]
    public async Task Whole_values_are_lower_cased_as_Unicode_says()
    {
        var field = _store.Field("Tag");
        await AddAsync(e => e.AddText(field, "ÄRGER Ⱥ İstanbul"u8));
        using var reader = _store.OpenReader();
        Assert.NotNull(reader.OpenPostings(field, Encoding.UTF8.GetBytes("ÄRGER Ⱥ İstanbul".ToLowerInvariant())));
    }

    [Fact]
    public async Task A_text_without_tokens_has_length_0_and_counts()
    {
        var field = _store.Field("Text", new FieldOptions { Indexing = TermForm.Search });
        await AddAsync(e => e.AddText(field, " ... "u8), e => e.AddText(field, "one two"u8));
        using var reader = _store.OpenReader();
        Assert.Equal(new FieldStatistics(2, 2), reader.GetStatistics(field));
        Assert.Equal(0, reader.OpenLengths(field)[0]);
        Assert.Equal([0, 1], IndexComparison.All(reader.OpenExists(field)));
    }

    [Fact]
    public async Task An_entry_may_have_100000_values()
    {
        var tag = _store.Field("Tag");
        var number = _store.Field("Number");
        var text = _store.Field("Text", new FieldOptions { Indexing = TermForm.Search });
        await AddAsync(e =>
        {
            for (var i = 0; i < 100_000; i++)
            {
                e.AddText(tag, Encoding.UTF8.GetBytes($"t{i % 5000}"));
                e.AddLong(number, i);
                e.AddText(text, "again"u8);
            }
        });
        using var reader = _store.OpenReader();
        var ids = new List<long>();
        reader.OpenColumn(tag, ColumnKind.Term)!.GetValues(0, ids);
        Assert.Equal(5000, ids.Count);
        Assert.Equal(50_000, reader.OpenNumbers(number)!.Count(NumericKey.From(10_000), NumericKey.From(59_999)));
        var again = reader.OpenPostings(text, "again"u8)!;
        Assert.Equal(0, again.Next());
        Assert.Equal(100_000, again.Frequency);
        var positions = again.Positions();
        Assert.Equal(100_000, positions.Length);
        Assert.Equal(99_999 * 33, positions[^1]);
        Assert.Equal(100_000, reader.OpenLengths(text)[0]);
    }

    [Fact]
    public async Task Extreme_numbers_are_found_in_their_order_and_given_back_as_they_were()
    {
        var field = _store.Field("Number");
        double[] doubles = [double.NaN, -0.0, 0.0, double.NegativeInfinity, double.MaxValue, 9007199254740993.0];
        long[] longs = [long.MinValue, long.MaxValue, 9007199254740993, 0];
        await AddAsync([
            .. doubles.Select<double, Action<EntryBuilder>>(d => e => e.AddDouble(field, d)),
            .. longs.Select<long, Action<EntryBuilder>>(l => e => e.AddLong(field, l)),
        ]);
        using var reader = _store.OpenReader();
        for (var i = 0; i < doubles.Length; i++)
        {
            Assert.True(reader.OpenColumn(field, ColumnKind.Double)!.TryGet(i, out var bits));
            Assert.Equal(BitConverter.DoubleToInt64Bits(doubles[i]), bits);
        }

        var numbers = reader.OpenNumbers(field)!;
        Assert.True(numbers.HasMultiple);
        Assert.Equal(9, numbers.Count(NumericKey.Min, NumericKey.Max));
        Assert.Equal(3, numbers.Count(NumericKey.From(0), NumericKey.From(0)));
        Assert.Equal(1, numbers.Count(NumericKey.From(9007199254740993), NumericKey.From(9007199254740993)));
        Assert.Equal(1, numbers.Count(NumericKey.From(9007199254740992), NumericKey.From(9007199254740992)));
        var cursor = numbers.OpenCursor();
        var order = new List<int>();
        for (var on = cursor.Seek(NumericKey.Min); on; on = cursor.MoveNext())
            order.Add(cursor.Entry);
        Assert.Equal([3, 6, 1, 2, 9, 5, 8, 7, 4], order);
    }

    [Fact]
    public async Task What_has_no_place_is_refused()
    {
        var field = _store.Field("Tag");
        using var batch = _store.NewBatch();
        Assert.Throws<ArgumentException>(() => batch.Begin(default));
        Assert.Throws<ArgumentException>(() => batch.Begin(new byte[513]));
        var entry = batch.Begin("a"u8);
        Assert.Throws<InvalidOperationException>(() => batch.Begin("b"u8));
        Assert.Throws<ArgumentOutOfRangeException>(() => entry.AddPoint(field, 90.1, 0));
        Assert.Throws<ArgumentOutOfRangeException>(() => entry.AddPoint(field, 0, double.NaN));
        Assert.Throws<ArgumentException>(() => entry.BeginText(field));
        await Assert.ThrowsAsync<InvalidOperationException>(() => _store.CommitAsync([batch], 1));
        entry.End();
        Assert.Throws<InvalidOperationException>(entry.End);
        Assert.Throws<ArgumentException>(() => _store.Field("Tag", new FieldOptions { Indexing = TermForm.Exact }));
        Assert.Throws<ArgumentException>(() => _store.Field(new string('x', 600)));
        using var small = IndexStore.Open(_environment, new IndexOptions { MaxFields = 1 });
        small.Field("One");
        Assert.Equal(1, Assert.Throws<TooManyFieldsException>(() => small.Field("Two")).Limit);
    }

    [Fact]
    public async Task A_field_keeps_its_options_and_its_analyzer()
    {
        var options = new FieldOptions
        {
            Indexing = TermForm.Search,
            Analyzer = Pipeline.Indexing.Analysis.Analyzers.Get("ngram(3,4)"),
            Positions = false,
        };
        var field = _store.Field("Text", options);
        await AddAsync(e => e.AddText(field, "wonder"u8));
        using var again = IndexStore.Open(_environment);
        Assert.Equal(options, again.Field("Text", options).Options);
        using var reader = again.OpenReader();
        Assert.NotNull(reader.OpenPostings(again.Field("Text"), "onde"u8));
    }

    [Fact]
    public void A_batch_is_full_at_its_bound_whatever_comes()
    {
        const long Bound = 8 << 20;
        var text = _store.Field("Text", new FieldOptions { Indexing = TermForm.Search });
        var tag = _store.Field("Tag");
        var random = new Random(3);
        using var batch = _store.NewBatch(Bound);
        while (!batch.IsFull)
        {
            var entry = batch.Begin(Encoding.UTF8.GetBytes($"docs/{batch.EntryCount}"));
            entry.AddText(tag, Encoding.UTF8.GetBytes($"unique {random.NextInt64()}"));
            entry.AddText(
                text,
                Encoding.UTF8.GetBytes($"{random.NextInt64()} the same words in each and {random.Next(100)}")
            );
            entry.SetStored(new byte[random.Next(2) * 100]);
            entry.End();
        }

        Assert.InRange(batch.MemoryBytes, Bound / 2, Bound);
        Assert.True(batch.EntryCount > 5000, $"only {batch.EntryCount} entries found room");
    }

    private async Task AddAsync(params Action<EntryBuilder>[] entries)
    {
        using var batch = _store.NewBatch();
        foreach (var fill in entries)
        {
            var entry = batch.Begin(Encoding.UTF8.GetBytes($"docs/{batch.EntryCount}"));
            fill(entry);
            entry.End();
        }

        await _store.CommitAsync([batch], 1);
    }
}
