using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using System.Text;
using Pipeline.Database.Queries.Binding;
using Pipeline.Database.Queries.Catalog;
using Pipeline.Database.Queries.Demands;
using Pipeline.Documents;
using Pipeline.Indexing;
using Pipeline.Indexing.Analysis;
using Pipeline.Json;
using Pipeline.Scripting.Indexes;
using Pipeline.Scripting.Runtime;
using Pipeline.Storage;

namespace Pipeline.Database.Tests.Queries;

/// <summary>
/// Builds, in memory and from all documents, the index that a query needs, or one that a test has defined. Nothing is
/// kept.
/// </summary>
internal sealed class TestCatalog(DocumentDatabase database) : IIndexCatalog
{
    /// <summary>
    /// Indexes by name: their collection, fields with the path of each, and whether there is an entry for each line.
    /// </summary>
    public Dictionary<
        string,
        (string Collection, IReadOnlyList<(QueryField Field, string Path)> Fields, bool PerLine)
    > Defined { get; } = [];

    public long Lag { get; set; }

    public IndexWait? LastWait { get; private set; }

    public IndexDemand? LastDemand { get; private set; }

    public async ValueTask<IOpenIndex> OpenAsync(
        IndexDemand demand,
        IndexWait? wait,
        CancellationToken cancellationToken
    )
    {
        (LastWait, LastDemand) = (wait, demand);
        var collection = demand.Collection;
        var perLine = false;
        IEnumerable<(QueryField Field, string Path)> fields;
        if (demand.IndexName is { } name)
        {
            if (!Defined.TryGetValue(name, out var definition))
                throw new IndexNotFoundException(name, Defined.Keys);
            (collection, fields, perLine) = definition;
        }
        else
        {
            fields = demand.Fields.SelectMany(Automatic);
        }

        var index = new OpenIndex(
            demand.IndexName ?? "Auto/" + (collection ?? "@all_docs"),
            demand.GroupBy.Count > 0,
            perLine,
            fields
        )
        {
            Changes = Lag,
        };
        using var snapshot = database.OpenSnapshot();
        using var batch = index.Store.NewBatch();
        var documents = snapshot.GetInIdOrder(collection);
        if (demand.GroupBy.Count > 0)
        {
            AddGroups(batch, index, demand, documents);
        }
        else
        {
            foreach (var document in documents)
                AddDocument(batch, index, document, perLine);
        }

        await index.Store.CommitAsync([batch], snapshot.LastPosition, cancellationToken);
        index.Read();
        return index;
    }

    private static IEnumerable<(QueryField, string)> Automatic(FieldDemand demand)
    {
        const FieldUsage words = FieldUsage.Search | FieldUsage.Suggest | FieldUsage.Highlight;
        if ((demand.Usage & words) != 0)
            yield return (Words(IndexFieldNames.Search(demand.Path)), demand.Path);
        if ((demand.Usage & FieldUsage.Exact) != 0)
        {
            yield return (
                new QueryField(IndexFieldNames.Exact(demand.Path), new FieldOptions { Indexing = TermForm.Exact }),
                demand.Path
            );
        }

        if ((demand.Usage & ~(words | FieldUsage.Exact)) != 0)
            yield return (new QueryField(demand.Path, FieldOptions.Default), demand.Path);
    }

    public static QueryField Words(string name, Analyzer? analyzer = null) =>
        new(name, new FieldOptions { Indexing = TermForm.Search }) { Analyzer = analyzer ?? Analyzers.Standard };

    private static void AddDocument(IndexBatch batch, OpenIndex index, Document document, bool perLine)
    {
        IEnumerable<BinaryValue> roots = [document.Body.Root];
        if (perLine)
            roots = Values(document.Body.Root, "Lines[]");
        foreach (var root in roots)
        {
            var entry = batch.Begin(Encoding.UTF8.GetBytes(document.Id));
            entry.AddText(index.Store.Field(IndexFieldNames.DocumentId), Encoding.UTF8.GetBytes(document.Id));
            foreach ((var field, var path) in index.Definition)
            {
                if (path.StartsWith("spatial.point(", StringComparison.Ordinal))
                {
                    var paths = path[14..^1].Split(", ");
                    if (
                        Values(root, paths[0]).FirstOrDefault().TryGetDouble(out var lat)
                        && Values(root, paths[1]).FirstOrDefault().TryGetDouble(out var lon)
                    )
                    {
                        entry.AddPoint(index.Store.Field(field.Name, field.Options), lat, lon);
                    }

                    continue;
                }

                foreach (var value in Values(root, path))
                    Add(entry, index.Store.Field(field.Name, field.Options), field, value);
            }

            var stored =
                "{"
                + string.Join(
                    ',',
                    index
                        .Definition.Where(d => d.Field.IsStored)
                        .Select(d =>
                            $"\"{d.Field.Name}\":\"stored {Values(root, d.Path).FirstOrDefault().GetString()}\""
                        )
                )
                + "}";
            if (stored.Length > 2)
                entry.SetStored(BinaryJson.Parse(Encoding.UTF8.GetBytes(stored)).Data.Span);
            entry.End();
        }
    }

    private static void AddGroups(
        IndexBatch batch,
        OpenIndex index,
        IndexDemand demand,
        IEnumerable<Document> documents
    )
    {
        foreach (
            var group in documents.GroupBy(d =>
                string.Join('|', demand.GroupBy.Select(k => Values(d.Body.Root, k.Path).FirstOrDefault().ToString()))
            )
        )
        {
            var entry = batch.Begin(Encoding.UTF8.GetBytes("group " + group.Key));
            var first = group.First();
            var stored = new List<string>();
            foreach (var key in demand.GroupBy)
            {
                var value = Values(first.Body.Root, key.Path).FirstOrDefault();
                stored.Add($"\"{key.Path}\":{(value.Exists ? value.ToString() : "null")}");
                Add(entry, index.Store.Field(key.Path), new QueryField(key.Path, FieldOptions.Default), value);
                index.Know(key.Path);
            }

            foreach (var aggregate in demand.Aggregates)
            {
                var sum = aggregate.Path is null
                    ? group.Count()
                    : group.Sum(d => Values(d.Body.Root, aggregate.Path).Sum(v => v.TryGetDouble(out var n) ? n : 0));
                stored.Add($"\"{aggregate.Name}\":{sum}");
                entry.AddDouble(index.Store.Field(aggregate.Name), sum);
                index.Know(aggregate.Name);
            }

            entry.SetStored(BinaryJson.Parse(Encoding.UTF8.GetBytes("{" + string.Join(',', stored) + "}")).Data.Span);
            entry.End();
        }
    }

    private static void Add(EntryBuilder entry, IndexField field, QueryField options, BinaryValue value)
    {
        Span<byte> date = stackalloc byte[DateTerm.Length];
        switch (value.Kind)
        {
            case JsonKind.Null:
                entry.AddNull(field);
                break;
            case JsonKind.Boolean:
                entry.AddBool(field, value.GetBoolean());
                break;
            case JsonKind.Number:
                if (value.IsInteger && value.TryGetInt64(out var integer))
                    entry.AddLong(field, integer);
                else if (value.TryGetDouble(out var number))
                    entry.AddDouble(field, number);
                break;
            case JsonKind.String:
                var text = Encoding.UTF8.GetBytes(value.GetString()!);
                if (options.Analyzer is { } analyzer)
                {
                    entry.BeginText(field);
                    foreach (var token in analyzer.Tokens(text, new TokenBuffer()))
                        entry.AddToken(field, token.Term, token.PositionIncrement);
                }
                else if (field.Options.Indexing == TermForm.Default && DateTerm.TryWrite(text, date))
                {
                    entry.AddTerm(field, date);
                }
                else
                {
                    entry.AddText(field, text);
                }

                break;
            case JsonKind.Array:
                foreach (var element in value.EnumerateArray())
                    Add(entry, field, options, element);
                break;
        }
    }

    private static IEnumerable<BinaryValue> Values(BinaryValue root, string path)
    {
        IEnumerable<BinaryValue> values = [root];
        foreach (var step in path.Split('.'))
        {
            var name = step.Replace("[]", "", StringComparison.Ordinal);
            values = values.Select(v => v[name]);
            if (step.EndsWith("[]", StringComparison.Ordinal))
                values = values.SelectMany(Elements);
        }

        return values.Where(v => v.Exists);
    }

    private static List<BinaryValue> Elements(BinaryValue array)
    {
        var elements = new List<BinaryValue>();
        foreach (var element in array.EnumerateArray())
            elements.Add(element);
        return elements;
    }

    private sealed class OpenIndex(
        string name,
        bool isGrouped,
        bool perLine,
        IEnumerable<(QueryField Field, string Path)> definition
    ) : IOpenIndex
    {
        private readonly StorageEnvironment _environment = StorageEnvironment.Open(new StorageOptions());
        private readonly Dictionary<string, QueryField> _fields = [];
        private IndexStore? _store;
        private IndexReader? _reader;

        public IReadOnlyList<(QueryField Field, string Path)> Definition { get; } = [.. definition];

        public long Changes { get; init; }

        public IndexStore Store => _store ??= Open();

        public string Name => name;

        public IndexReader Reader => _reader!;

        public bool IsGrouped => isGrouped;

        public bool MayRepeatDocuments => perLine;

        public bool HasDynamicFields => false;

        public long DefinitionVersion => 1;

        public IEnumerable<string> FieldNames => _fields.Keys;

        public bool TryGetField(string fieldName, [NotNullWhen(true)] out QueryField? field) =>
            _fields.TryGetValue(fieldName, out field);

        public IndexLag LagAt(DatabaseSnapshot snapshot) => new(Changes, null);

        public void Know(string fieldName) =>
            _fields.TryAdd(fieldName, new QueryField(fieldName, FieldOptions.Default));

        public void Read() => _reader = Store.OpenReader();

        public void Dispose()
        {
            _reader?.Dispose();
            _store?.Dispose();
            _environment.Dispose();
        }

        private IndexStore Open()
        {
            foreach ((var field, _) in Definition)
                _fields[field.Name] = field;
            return IndexStore.Open(_environment);
        }
    }
}
