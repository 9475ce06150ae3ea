using System.ComponentModel;
using System.Diagnostics.CodeAnalysis;

namespace Pipeline.Scripting.Runtime;

#pragma warning disable CS1591, CA1708, IDE1006 // The names are those that definitions use.

/// <summary>
/// The base class of a compiled index: the names in the scope of its maps and its reduce. One thread at a time.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
[SuppressMessage("Naming", "CA1707", Justification = "Definitions use these names.")]
[SuppressMessage("Performance", "CA1822", Justification = "Definitions also write this.CreateField(…).")]
public abstract class IndexProgram
{
    private const int MaxRecursion = 1024;
    private readonly List<string> _loaded = [];
    private readonly HashSet<string> _loadedSet = new(StringComparer.OrdinalIgnoreCase);
    private IReadOnlyList<RepeatedQuery>? _maps;
    private RepeatedQuery? _reduce;

    protected IndexDocuments docs { get; } = new();

    protected IndexResults results { get; } = new();

    internal IScriptDocuments? Documents { get; set; }

    /// <summary>The ids given to LoadDocument since <see cref="Begin"/>, found or not, each once.</summary>
    internal IReadOnlyList<string> Loaded => _loaded;

    internal IndexDocuments Source => docs;

    internal IndexResults Results => results;

    // Queries are built once and run for each document: they read the docs and results of that time.
    internal IReadOnlyList<RepeatedQuery> Maps => _maps ??= BuildMaps();

    internal RepeatedQuery? Reduction => _reduce ??= BuildReduce();

    protected abstract IReadOnlyList<RepeatedQuery> BuildMaps();

    protected virtual RepeatedQuery? BuildReduce() => null;

    protected RepeatedQuery Entries<T>(IEnumerable<T> query) =>
        new RepeatedQuery<T>(query.Select(static item => new Boosted<T>(item, 1)));

    protected RepeatedQuery Entries<T>(IEnumerable<Boosted<T>> query) => new RepeatedQuery<T>(query);

    protected ScriptValue? LoadDocument(ScriptValue? id, string collection) =>
        id switch
        {
            null => null,
            { Kind: ScriptValueKind.Array } => new ListValue(LoadDocument(id.Elements(), collection)),
            { Text: "" } => null,
            _ => Load(id.Text, collection),
        };

    protected IEnumerable<ScriptValue?> LoadDocument(IEnumerable<ScriptValue?> ids, string collection) =>
        ids.Select(id => LoadDocument(id, collection)).ToList();

    protected IEnumerable<ScriptValue?> LoadDocument(IEnumerable<string?> ids, string collection) =>
        ids.Select(id => LoadDocument((ScriptValue?)id, collection)).ToList();

    protected CreatedField CreateField(ScriptValue? name, object? value) => new(name?.Text, value, null);

    protected CreatedField CreateField(ScriptValue? name, object? value, bool stored, bool? analyzed = null) =>
        new(
            name?.Text,
            value,
            new CreateFieldOptions
            {
                Storage = stored ? FieldStorage.Yes : FieldStorage.No,
                Indexing = analyzed is { } cut
                    ? cut
                        ? FieldIndexing.Search
                        : FieldIndexing.Default
                    : null,
            }
        );

    protected CreatedField CreateField(ScriptValue? name, object? value, CreateFieldOptions? options) =>
        new(name?.Text, value, options);

    protected SpatialField CreateSpatialField(ScriptValue? latitude, ScriptValue? longitude) =>
        latitude is null || longitude is null
            ? default
            : new(
                ScriptValue.ToNumber(latitude, "a latitude").AsDouble(),
                ScriptValue.ToNumber(longitude, "a longitude").AsDouble(),
                null
            );

    protected SpatialField CreateSpatialField(ScriptValue? wkt) => new(null, null, wkt?.Text);

    protected ScriptValue? MetadataFor(ScriptValue? document) =>
        document is IndexedDocument whole ? whole.Metadata : document.Get("@metadata"u8);

    protected ScriptValue? Id(ScriptValue? document) =>
        document is IndexedDocument whole ? whole.Id : document.Get("Id"u8);

    /// <summary>Names and values of an object's properties.</summary>
    protected IEnumerable<KeyValuePair<string, ScriptValue?>> AsJson(ScriptValue? value) =>
        ScriptValueExtensions.Properties(value);

    /// <summary>The value, the function's result for it, the result for that result, and so on, each once.</summary>
    protected IEnumerable<ScriptValue?> Recurse(ScriptValue? start, Func<ScriptValue?, ScriptValue?> next)
    {
        var seen = new HashSet<ScriptValue>();
        var waiting = new Stack<ScriptValue?>();
        waiting.Push(start);
        while (waiting.TryPop(out var value))
        {
            ScriptGuard.Step();
            if (value is null || !seen.Add(value))
                continue;
            if (seen.Count > MaxRecursion)
                throw new InvalidOperationException($"Recurse went through more than {MaxRecursion} values.");
            yield return value;
            var following = next(value);
            foreach (
                var one in following is { Kind: ScriptValueKind.Array } ? following.Elements().Reverse() : [following]
            )
            {
                waiting.Push(one);
            }
        }
    }

    internal void Begin(IScriptDocuments? documents)
    {
        Documents = documents;
        _loaded.Clear();
        _loadedSet.Clear();
    }

    /// <summary>
    /// A document of another collection is not found: only changes in the one that is named are followed.
    /// </summary>
    private IndexedDocument? Load(string id, string collection)
    {
        if (_loadedSet.Add(id))
            _loaded.Add(id);
        ScriptGuard.Step();
        return
            Documents is { } documents
            && documents.TryLoad(id, out var found)
            && string.Equals(found.Collection, collection, StringComparison.OrdinalIgnoreCase)
            ? new IndexedDocument(found)
            : null;
    }
}
