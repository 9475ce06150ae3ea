using System.Numerics;

namespace Pipeline.Indexing;

/// <summary>
/// The state shared by the steps of one running query: the snapshot, the limits, and the resources to release at the
/// end. One thread at a time.
/// </summary>
internal sealed class QueryExecution(IndexReader reader, SearchOptions options, CancellationToken token) : IDisposable
{
    private readonly List<EntrySet> _sets = [];
    private readonly List<PostingCursor> _cursors = [];
    private List<(NumericReader Reader, NumericCursor Cursor)>? _numbers;
    private List<TermCursor>? _terms;

    public IndexReader Reader => reader;

    public SearchOptions Options => options;

    public CancellationToken Token => token;

    public QueryMemory Memory { get; } = new(options.MaxMemoryBytes, options.OnHeld);

    /// <summary>The entry numbers there are: 0 to this, exclusive.</summary>
    public int Entries => reader.EntryCount;

    /// <summary>How many deleted entries posting lists may have.</summary>
    public int DeletedCount { get; } = reader.Deleted?.Count ?? 0;

    /// <summary>The field of a name; null where the index has none.</summary>
    public IndexField? Field(string name) => reader.TryGetField(name, out var field) ? field : null;

    /// <summary>Looks a term up.</summary>
    public bool FindTerm(IndexField field, ReadOnlySpan<byte> term, out TermHandle handle) =>
        reader.TryGetHandle(field, term, out handle);

    /// <summary>Opens a list, until the end of the query.</summary>
    public PostingCursor Open(in TermHandle term)
    {
        var cursor = reader.OpenRecord(term.Record);
        _cursors.Add(cursor);
        return cursor;
    }

    /// <summary>Opens a field's dictionary, until the end of the query.</summary>
    public TermCursor OpenTerms(IndexField field)
    {
        var cursor = reader.OpenTerms(field);
        (_terms ??= []).Add(cursor);
        return cursor;
    }

    /// <summary>Opens a place among numbers or points, until the end of the query.</summary>
    public NumericCursor Cursor(NumericReader numbers)
    {
        var cursor = numbers.OpenCursor();
        (_numbers ??= []).Add((numbers, cursor));
        return cursor;
    }

    /// <summary>Puts a whole list into a set.</summary>
    public void AddTo(in TermHandle term, EntrySet set)
    {
        var cursor = reader.OpenRecord(term.Record);
        cursor.AddTo(set.Words);
        reader.Return(cursor);
    }

    /// <summary>How many entries two lists have in common.</summary>
    public long CountCommon(in TermHandle shorter, in TermHandle longer)
    {
        const int ProbesWorthABlock = 32;
        var cursor = reader.OpenRecord(longer.Record);
        var count = 0L;
        if (shorter.DocumentFrequency < longer.DocumentFrequency / ProbesWorthABlock)
        {
            var lead = reader.OpenRecord(shorter.Record);
            for (var entry = lead.Next(); entry != EntryIterator.End; entry = lead.Next())
            {
                if (cursor.SkipTo(entry) == entry)
                    count++;
            }

            reader.Return(lead);
        }
        else
        {
            using var set = new EntrySet(Entries, Memory, "or");
            AddTo(shorter, set);
            count = cursor.CountIn(set.Words);
        }

        reader.Return(cursor);
        return count;
    }

    /// <summary>A column; an empty one where the field has no such values.</summary>
    public ColumnReader Column(IndexField field, ColumnKind kind) =>
        reader.OpenColumn(field, kind) ?? IndexReader.NoColumn;

    /// <summary>An empty set of entries that lives as long as the query.</summary>
    public EntrySet NewSet(string step)
    {
        var set = new EntrySet(Entries, Memory, step);
        _sets.Add(set);
        return set;
    }

    /// <summary>Whether a list may have the entry though it is deleted.</summary>
    public bool IsDeleted(int entry) => DeletedCount != 0 && reader.Deleted!.Contains(entry);

    /// <summary>Moves to the front those entries that are not deleted; returns how many.</summary>
    public int RemoveDeleted(Span<int> entries)
    {
        if (DeletedCount == 0)
            return entries.Length;
        var (deleted, kept) = (reader.Deleted!, 0);
        foreach (var entry in entries)
        {
            entries[kept] = entry;
            if (!deleted.Contains(entry))
                kept++;
        }

        return kept;
    }

    /// <summary>How many of a set's entries are not deleted.</summary>
    public long CountLive(EntrySet set)
    {
        var count = set.Count();
        if (DeletedCount == 0)
            return count;
        var deleted = reader.Deleted!;
        var words = set.Words;
        for (var i = 0; i < words.Length; i++)
            count -= BitOperations.PopCount(words[i] & deleted.Word(i));
        return count;
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        foreach (var set in _sets)
            set.Dispose();
        _sets.Clear();
        foreach (var cursor in _cursors)
            reader.Return(cursor);
        _cursors.Clear();
        if (_numbers is not null)
        {
            foreach (var (numbers, cursor) in _numbers)
                numbers.Return(cursor);
            _numbers.Clear();
        }

        if (_terms is not null)
        {
            foreach (var cursor in _terms)
                reader.Return(cursor);
            _terms.Clear();
        }

        Memory.ReleaseAll();
    }
}
