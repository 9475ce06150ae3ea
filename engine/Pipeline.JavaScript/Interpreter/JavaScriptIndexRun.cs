using Jint;
using Jint.Native;
using Pipeline.Json;
using Pipeline.Scripting;
using Pipeline.Scripting.Indexes;
using Pipeline.Scripting.Runtime;

namespace Pipeline.JavaScript;

/// <summary>One thread's run of an index in JavaScript.</summary>
internal sealed class JavaScriptIndexRun : IIndexMapRun, IDisposable
{
    private static readonly ScriptLimits Limits = ScriptLimits.Default;
    private readonly ScriptEngine _engine;
    private readonly bool _isFresh;
    private readonly IReadOnlyList<string> _collections;
    private readonly IScriptDocuments? _documents;
    private readonly IndexEntryWriter _entries = new([]);
    private readonly ScriptGuard.Run _guard = new();
    private readonly JsonOutput _json = new();
    private readonly List<string> _loaded = [];
    private JsValue? _key,
        _aggregate;

    /// <summary>Makes a run.</summary>
    /// <param name="texts">The definition.</param>
    /// <param name="isFresh">Whether the definition runs again for each document, because it keeps state.</param>
    /// <param name="collections">The collections that <c>load</c> may name.</param>
    /// <param name="documents">The documents that it reads.</param>
    public JavaScriptIndexRun(
        IReadOnlyList<(string? Name, string Text)> texts,
        bool isFresh,
        IReadOnlyList<string> collections,
        IScriptDocuments? documents
    )
    {
        (_isFresh, _collections, _documents) = (isFresh, collections, documents);
        _engine = new ScriptEngine(
            texts,
            "",
            engine =>
            {
                DocumentFunctions.Add(engine, () => null);
                engine.Documents = () => _documents;
                engine.Add("load", (_, arguments) => Load(arguments));
                engine.Engine.SetValue("noTracking", Object(engine, ("load", Load)));
                engine.Add("createField", (_, arguments) => CreatedFields.Make(engine.Engine, arguments));
                engine.Add("createSpatialField", (_, arguments) => CreatedFields.MakeSpatial(engine.Engine, arguments));
                IndexAttachments.Add(engine, documents, Limits.MaxBodyBytes);
                engine.Add("map", (_, arguments) => AddMap(arguments));
                engine.Add("groupBy", (_, arguments) => GroupBy(arguments));
            }
        );
        _engine.Time.Now = DateTimeOffset.UnixEpoch;
        _engine.Run(JsValue.Undefined, [], Limits, CancellationToken.None);
    }

    /// <summary>The maps; without a collection one reads all documents.</summary>
    public List<(string? Collection, JsValue Function)> Maps { get; } = [];

    /// <summary>Whether there is a whole reduce.</summary>
    public bool IsGrouped => _key is not null && _aggregate is not null;

    /// <inheritdoc/>
    public IReadOnlyList<string> LoadedIds => _loaded;

    /// <inheritdoc/>
    public void Map(in ScriptDocument document, IIndexOutput output, CancellationToken ct)
    {
        var objects = Map(document, ct);
        Write(objects, output, withObject: false, ct);
    }

    /// <inheritdoc/>
    public void Map(in ScriptDocument document, IMapOutput output, CancellationToken ct)
    {
        foreach (var json in Map(document, ct))
        {
            var value = BinaryJson.Parse(json);
            var key = _engine.Run(() => Key(value), Limits, ct);
            output.Mapped(key, json);
        }
    }

    /// <inheritdoc/>
    public void Reduce(IReadOnlyList<BinaryJson> inputs, IIndexOutput output, CancellationToken ct)
    {
        if (inputs.Count == 0)
            return;
        var result = _engine.Run(
            () =>
            {
                Refresh();
                var group = new JsObject(_engine.Engine);
                group.Set(
                    "key",
                    _engine.Engine.Call(_key!, JsValue.Undefined, [DocumentObject.Of(_engine.Engine, inputs[0].Root)])
                );
                group.Set(
                    "values",
                    new JsArray(_engine.Engine, [.. inputs.Select(i => DocumentObject.Of(_engine.Engine, i.Root))])
                );
                return Object(_engine.Engine.Call(_aggregate!, JsValue.Undefined, [group]), "the reduce");
            },
            Limits,
            ct
        );
        if (result is not null)
            Write([result], output, withObject: true, ct);
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _engine.Dispose();
        _json.Dispose();
    }

    private List<byte[]> Map(ScriptDocument document, CancellationToken ct)
    {
        _loaded.Clear();
        return _engine.Run(
            () =>
            {
                Refresh();
                var objects = new List<byte[]>();
                foreach ((var collection, var function) in Maps)
                {
                    if (
                        collection is not null
                        && !string.Equals(collection, document.Collection, StringComparison.OrdinalIgnoreCase)
                    )
                    {
                        continue;
                    }

                    var given = _engine.Engine.Call(
                        function,
                        JsValue.Undefined,
                        [new WholeDocument(_engine.Engine, document)]
                    );
                    JsValue[] items = given is JsArray array
                        ? [.. Enumerable.Range(0, (int)array.Length).Select(i => array[(uint)i])]
                        : [given];
                    objects.AddRange(items.Select(i => Object(i, "a map")).OfType<byte[]>());
                }

                return objects;
            },
            Limits,
            ct
        );
    }

    private void Refresh()
    {
        if (!_isFresh)
            return;
        Maps.Clear();
        _engine.Call(JsValue.Undefined, []);
    }

    private byte[]? Object(JsValue value, string what)
    {
        if (value.IsNull() || value.IsUndefined())
            return null;
        if (!value.IsObject() || value.IsArray() || value.IsCallable())
            throw new InvalidOperationException($"{what} gives an object, a list of objects, or null, not '{value}'");
        return _json.Write(value, Limits.MaxBodyBytes, keepsCollection: false).ToArray();
    }

    private byte[] Key(BinaryJson mapped) =>
        _json
            .Write(
                _engine.Engine.Call(_key!, JsValue.Undefined, [DocumentObject.Of(_engine.Engine, mapped.Root)]),
                Limits.MaxBodyBytes,
                keepsCollection: false
            )
            .ToArray();

    private void Write(IReadOnlyList<byte[]> objects, IIndexOutput output, bool withObject, CancellationToken ct)
    {
        _entries.Output = output;
        _entries.Limits = Limits;
        _entries.Reset();
        ScriptGuard.Begin(_guard, Limits, ct);
        try
        {
            foreach (var json in objects)
            {
                _entries.Begin();
                foreach (var property in BinaryJson.Parse(json).Root.EnumerateObject())
                {
                    foreach (var field in CreatedFields.Read(property.Name, property.Value))
                        _entries.Dynamic(field);
                }

                if (withObject)
                    output.Object(json);
                _entries.End();
            }
        }
        finally
        {
            ScriptGuard.End(_guard);
        }
    }

    private JsValue Load(JsValue[] arguments)
    {
        var id = DocumentFunctions.Text(arguments, 0);
        var collection =
            DocumentFunctions.Text(arguments, 1)
            ?? throw new InvalidOperationException(
                "load takes the id and the collection of a document: load(o.Company, 'Companies')"
            );
        if (!_collections.Contains(collection, StringComparer.OrdinalIgnoreCase))
        {
            throw new InvalidOperationException(
                $"load computes the name of the collection '{collection}': write it as a literal, so that its changes can be followed"
            );
        }

        if (id is null)
            return JsValue.Null;
        if (!_loaded.Contains(id))
            _loaded.Add(id);
        return
            _documents is not null
            && _documents.TryLoad(id, out var found)
            && string.Equals(found.Collection, collection, StringComparison.OrdinalIgnoreCase)
            ? new WholeDocument(_engine.Engine, found)
            : JsValue.Null;
    }

    private static JsObject Object(ScriptEngine engine, (string Name, Func<JsValue[], JsValue> Function) function)
    {
        var made = new JsObject(engine.Engine);
        made.Set(function.Name, engine.Function(function.Name, (_, arguments) => function.Function(arguments)));
        return made;
    }

    private JsValue AddMap(JsValue[] arguments)
    {
        var function = arguments.Length > 0 ? arguments[^1] : JsValue.Undefined;
        if (arguments.Length is 0 or > 2 || !function.IsCallable())
            throw new InvalidOperationException("map takes a collection and a function: map('Orders', o => ({ … }))");
        Maps.Add((arguments.Length == 2 ? DocumentFunctions.Text(arguments, 0) : null, function));
        return JsValue.Undefined;
    }

    private JsObject GroupBy(JsValue[] arguments)
    {
        if (arguments.Length != 1 || !arguments[0].IsCallable())
            throw new InvalidOperationException("groupBy takes a function: groupBy(r => r.Company)");
        _key = arguments[0];
        var grouping = new JsObject(_engine.Engine);
        grouping.Set(
            "aggregate",
            _engine.Function(
                "aggregate",
                (_, given) =>
                {
                    if (given.Length != 1 || !given[0].IsCallable())
                        throw new InvalidOperationException("aggregate takes a function: aggregate(g => ({ … }))");
                    _aggregate = given[0];
                    return JsValue.Undefined;
                }
            )
        );
        return grouping;
    }
}
