using System.Text;

namespace Pipeline.Indexing.Tests;

/// <summary>
/// An index as plain dictionaries, recomputed from the existing documents; the stored index must equal it.
/// </summary>
internal sealed class IndexModel
{
    private readonly Dictionary<string, List<int>> _documents = [];
    private readonly SortedDictionary<int, ModelEntry> _entries = [];

    public int EntryCount { get; private set; }

    public long Progress { get; set; }

    public IReadOnlyDictionary<string, List<int>> Documents => _documents;

    public SortedDictionary<int, ModelEntry> Entries => _entries;

    public void Add(ModelEntry entry)
    {
        if (!_documents.TryGetValue(entry.Document, out var list))
            _documents[entry.Document] = list = [];
        list.Add(EntryCount);
        _entries[EntryCount++] = entry;
    }

    public void Delete(string document)
    {
        if (!_documents.Remove(document, out var list))
            return;
        foreach (var entry in list)
            _entries.Remove(entry);
    }

    public IndexModel Copy()
    {
        var copy = new IndexModel { EntryCount = EntryCount, Progress = Progress };
        foreach (var (document, list) in _documents)
            copy._documents[document] = [.. list];
        foreach (var (number, entry) in _entries)
            copy._entries[number] = entry;
        return copy;
    }

    /// <summary>Term → entry → positions (of a field without positions: one for each occurrence).</summary>
    public SortedDictionary<string, SortedDictionary<int, List<int>>> Terms(string field)
    {
        // The terms of the tests have no surrogates, so that their order is that of their bytes.
        var terms = new SortedDictionary<string, SortedDictionary<int, List<int>>>(StringComparer.Ordinal);
        foreach (var (number, entry) in _entries)
        {
            var position = -1;
            var first = true;
            foreach (var value in entry.Values.Where(v => v.Field == field))
            {
                if (value.Tokens is { } tokens)
                {
                    position += first ? 0 : 32;
                    first = false;
                    foreach (var token in tokens)
                        Note(terms, token, number).Add(++position);
                }
                else if (value.Term is { } term && !(terms.TryGetValue(term, out var list) && list.ContainsKey(number)))
                {
                    Note(terms, term, number).Add(0);
                }
            }
        }

        return terms;
    }

    private static List<int> Note(
        SortedDictionary<string, SortedDictionary<int, List<int>>> terms,
        string term,
        int entry
    )
    {
        if (!terms.TryGetValue(term, out var list))
            terms[term] = list = [];
        if (!list.TryGetValue(entry, out var positions))
            list[entry] = positions = [];
        return positions;
    }
}

/// <summary>An entry of the model.</summary>
internal sealed record ModelEntry(string Document, List<ModelValue> Values, byte[] Stored)
{
    public void AddTo(IndexBatch batch, IndexStore store)
    {
        var builder = batch.Begin(Encoding.UTF8.GetBytes(Document));
        foreach (var value in Values)
            value.AddTo(builder, store);
        builder.SetStored(Stored);
        builder.End();
    }
}

/// <summary>A value of the model: one of the kinds.</summary>
internal sealed record ModelValue(string Field)
{
    public string[]? Tokens { get; init; }

    public string? Term { get; init; }

    public long? Long { get; init; }

    public double? Double { get; init; }

    public ulong? Point { get; init; }

    public bool IsNull { get; init; }

    public void AddTo(EntryBuilder builder, IndexStore store)
    {
        var field = store.Field(Field, ModelFields.Options(Field));
        if (Tokens is not null)
        {
            builder.BeginText(field);
            foreach (var token in Tokens)
                builder.AddToken(field, Encoding.UTF8.GetBytes(token), 1);
        }
        else if (Term is not null)
        {
            builder.AddTerm(field, Encoding.UTF8.GetBytes(Term));
        }
        else if (Long is { } number)
        {
            builder.AddLong(field, number);
        }
        else if (Double is { } real)
        {
            builder.AddDouble(field, real);
        }
        else if (Point is { } point)
        {
            var (latitude, longitude) = PointCode.ToPoint(point);
            builder.AddPoint(field, latitude, longitude);
        }
        else
        {
            builder.AddNull(field);
        }
    }
}

/// <summary>The fields of the model.</summary>
internal static class ModelFields
{
    public static readonly string[] Names = ["Text", "Plain", "Tag", "Number"];

    public static FieldOptions Options(string name) =>
        name switch
        {
            "Text" => new FieldOptions { Indexing = TermForm.Search },
            "Plain" => new FieldOptions { Indexing = TermForm.Search, Positions = false },
            _ => FieldOptions.Default,
        };
}
