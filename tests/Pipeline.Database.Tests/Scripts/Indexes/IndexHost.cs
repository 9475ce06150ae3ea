using System.Globalization;
using System.Text;
using Pipeline.Json;
using Pipeline.Scripting;
using Pipeline.Scripting.Indexes;
using Pipeline.Scripting.Runtime;
using Xunit;

namespace Pipeline.Database.Tests.Scripts.Indexes;

/// <summary>
/// Runs index definitions over documents and keeps their output as text: <c>Name=value</c> with a space between fields.
/// </summary>
internal sealed class IndexHost : IIndexOutput, IMapOutput, IScriptDocuments
{
    private readonly List<string> _fields = [];

    public List<string> Entries { get; } = [];

    public List<string> Objects { get; } = [];

    public Dictionary<string, ScriptDocument> Documents { get; } = new(StringComparer.OrdinalIgnoreCase);

    /// <summary>Outputs of maps by group key.</summary>
    public SortedDictionary<string, List<string>> Groups { get; } = new(StringComparer.Ordinal);

    public static IndexScript Compile(string map, string? reduce = null) => Compile(new IndexSource([map], reduce));

    public static IndexScript Compile(IndexSource source)
    {
        var result = new IndexCompiler().Compile(source);
        Assert.True(result.Succeeded, string.Join("\n", result.Errors));
        return result.Script!;
    }

    public static ScriptDocument Document(string json, string id = "docs/1", string collection = "Docs") =>
        ScriptDocument.FromJson(id, json) with
        {
            Collection = collection,
            LastModified = new DateTimeOffset(2026, 1, 2, 3, 4, 5, TimeSpan.Zero),
        };

    /// <summary>The entries of one document, a line each.</summary>
    public static string Map(string map, string json, string id = "docs/1", string collection = "Docs")
    {
        var host = new IndexHost();
        host.Run(Compile(map), Document(json, id, collection));
        return string.Join("\n", host.Entries);
    }

    public IndexRun Run(IndexScript script, ScriptDocument document, ScriptLimits? limits = null)
    {
        var run = new IndexRun(script, this, limits);
        run.Map(document, (IIndexOutput)this);
        return run;
    }

    public void BeginEntry() => _fields.Clear();

    public void Null(MapField field) => Add(field, "null");

    public void Boolean(MapField field, bool value) => Add(field, value ? "true" : "false");

    public void Integer(MapField field, long value) => Add(field, value.ToString(CultureInfo.InvariantCulture));

    public void Real(MapField field, double value) =>
        Add(field, value.ToString("R", CultureInfo.InvariantCulture) + "d");

    public void Text(MapField field, ReadOnlySpan<byte> utf8) => Add(field, $"'{Encoding.UTF8.GetString(utf8)}'");

    public void Json(MapField field, ReadOnlySpan<byte> utf8) => Add(field, Encoding.UTF8.GetString(utf8));

    public void Point(MapField field, double latitude, double longitude) =>
        Add(field, string.Create(CultureInfo.InvariantCulture, $"@{latitude},{longitude}"));

    public void Shape(MapField field, string wkt) => Add(field, $"shape {wkt}");

    public void Object(ReadOnlySpan<byte> utf8Json) => Objects.Add(Encoding.UTF8.GetString(utf8Json));

    public void EndEntry() => Entries.Add(string.Join(" ", _fields));

    public void Mapped(ReadOnlySpan<byte> groupKey, ReadOnlySpan<byte> utf8Json)
    {
        var key = Convert.ToHexString(groupKey);
        if (!Groups.TryGetValue(key, out var outputs))
            Groups[key] = outputs = [];
        outputs.Add(Encoding.UTF8.GetString(utf8Json));
    }

    public bool TryLoad(string id, out ScriptDocument document) => Documents.TryGetValue(id, out document);

    public static BinaryJson Parse(string json) => BinaryJson.Parse(Encoding.UTF8.GetBytes(json));

    private void Add(MapField field, string value)
    {
        var options = field.Options is { } o ? $"[{o.Storage},{o.Indexing}]" : "";
        _fields.Add($"{(field.IsDynamic ? "*" : "")}{field.Name}{options}={value}");
    }
}
