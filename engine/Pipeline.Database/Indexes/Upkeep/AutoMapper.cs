using System.Text;
using Pipeline.Database.Json;
using Pipeline.Database.Scripts;
using Pipeline.Database.Scripts.Indexes;

namespace Pipeline.Database.Indexes;

/// <summary>Entries of an automatic index: one a document, with the values at its paths.</summary>
internal sealed class AutoMapper : IIndexMapper
{
    private readonly List<Path> _paths = [];

    public AutoMapper(AutoIndexDefinition definition)
    {
        Collections = definition.Collection == AutoIndexDefinition.AllDocuments ? null : [definition.Collection];
        var names = new List<string>();
        foreach (AutoIndexField field in definition.Fields)
        {
            string[] steps = field.Path.Split('.');
            Add(field.Path);
            if (field.Usage.HasFlag(AutoFieldUsage.Search)) Add(field.SearchName);
            if (field.Usage.HasFlag(AutoFieldUsage.Exact)) Add(field.ExactName);

            void Add(string name)
            {
                var parts = steps.Select(s => (Encoding.UTF8.GetBytes(s.EndsWith("[]", StringComparison.Ordinal) ? s[..^2] : s), s.EndsWith("[]", StringComparison.Ordinal)));
                _paths.Add(new Path(new MapField(name, names.Count, null), [.. parts]));
                names.Add(name);
            }
        }

        Fields = names;
    }

    public IReadOnlyList<string>? Collections { get; }

    public IReadOnlyList<string> LoadedCollections => [];

    public bool IsMapReduce => false;

    public IReadOnlyList<string> Fields { get; }

    /// <summary>Options of the fields, by what queries do with them.</summary>
    public static IReadOnlyDictionary<string, IndexFieldDefinition> Options(AutoIndexDefinition definition)
    {
        var options = new Dictionary<string, IndexFieldDefinition>(StringComparer.Ordinal);
        foreach (AutoIndexField field in definition.Fields)
        {
            if (field.Usage.HasFlag(AutoFieldUsage.Search)) options[field.SearchName] = new IndexFieldDefinition { Indexing = Pipeline.Indexing.FieldIndexing.Search };
            if (field.Usage.HasFlag(AutoFieldUsage.Exact)) options[field.ExactName] = new IndexFieldDefinition { Indexing = Pipeline.Indexing.FieldIndexing.Exact };
        }

        return options;
    }

    public IIndexMapRun NewRun(IScriptDocuments documents) => new MapRun(_paths);

    private sealed record Path(MapField Field, (byte[] Name, bool IsArray)[] Steps);

    private sealed class MapRun(List<Path> paths) : IIndexMapRun
    {
        private readonly JsonBuffer _json = new();

        public IReadOnlyList<string> LoadedIds => [];

        public void Map(in ScriptDocument document, IIndexOutput output, CancellationToken ct)
        {
            BinaryValue root = document.Body.Root;
            output.BeginEntry();
            foreach (Path path in paths) Follow(root, path, 0, output);
            output.EndEntry();
        }

        public void Map(in ScriptDocument document, IMapOutput output, CancellationToken ct) => throw new NotSupportedException("An automatic index has no reduce.");

        public void Reduce(IReadOnlyList<BinaryJson> inputs, IIndexOutput output, CancellationToken ct) => throw new NotSupportedException("An automatic index has no reduce.");

        private void Follow(BinaryValue value, Path path, int step, IIndexOutput output)
        {
            if (step == path.Steps.Length)
            {
                Value(path.Field, value, output);
                return;
            }

            (byte[] name, bool isArray) = path.Steps[step];
            if (!value.TryGetProperty(name, out BinaryValue next)) next = default;
            if ((isArray || step + 1 < path.Steps.Length) && next.Kind == JsonKind.Array)
            {
                foreach (BinaryValue element in next.EnumerateArray()) Follow(element, path, step + 1, output);
                return;
            }

            Follow(next, path, step + 1, output);
        }

        private void Value(MapField field, BinaryValue value, IIndexOutput output)
        {
            switch (value.Kind)
            {
                case JsonKind.Array:
                    foreach (BinaryValue element in value.EnumerateArray()) Value(field, element, output);
                    break;
                case JsonKind.String when value.TryGetUtf8(out ReadOnlySpan<byte> utf8):
                    output.Text(field, utf8);
                    break;
                case JsonKind.Boolean:
                    output.Boolean(field, value.GetBoolean());
                    break;
                case JsonKind.Number when value.TryGetInt64(out long integer):
                    output.Integer(field, integer);
                    break;
                case JsonKind.Number when value.TryGetDouble(out double real):
                    output.Real(field, real);
                    break;
                case JsonKind.Number:
                    output.Text(field, Encoding.UTF8.GetBytes(value.GetNumberText()));
                    break;
                case JsonKind.Object:
                    output.Json(field, _json.Write(value));
                    break;
                default:
                    output.Null(field);
                    break;
            }
        }
    }

    private sealed class JsonBuffer
    {
        private readonly System.Buffers.ArrayBufferWriter<byte> _buffer = new();

        public ReadOnlySpan<byte> Write(BinaryValue value)
        {
            _buffer.ResetWrittenCount();
            value.WriteTo(_buffer);
            return _buffer.WrittenSpan;
        }
    }
}
