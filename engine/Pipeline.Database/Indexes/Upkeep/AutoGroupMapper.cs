using System.Buffers;
using System.Text.Json;
using Pipeline.Database.Queries.Demands;
using Pipeline.Json;
using Pipeline.Scripting;
using Pipeline.Scripting.Indexes;
using Pipeline.Scripting.Runtime;

namespace Pipeline.Database.Indexes;

/// <summary>
/// Entries of an automatic index of groups. A document is in one group, or in one for each combination of its values
/// where a key goes through an array; keys that go through the same array, and an aggregate over it, take the values of
/// the same element, any other aggregate all values.
/// </summary>
internal sealed class AutoGroupMapper : IIndexMapper
{
    private readonly AutoIndexDefinition _definition;

    public AutoGroupMapper(AutoIndexDefinition definition)
    {
        _definition = definition;
        Outline = new IndexOutline
        {
            Collections = definition.Collection is { } collection ? [collection] : null,
            Fields = [.. AutoFields.Of(definition).Select(t => t.Field.Name)],
            IsGrouped = true,
        };
    }

    public IndexOutline Outline { get; }

    public IIndexMapRun NewRun(IScriptDocuments documents) => new MapRun(_definition);

    private sealed class MapRun : IIndexMapRun
    {
        private readonly (GroupKeyDemand Key, DocumentPath Path, MapField Field)[] _keys;
        private readonly (AggregateDemand Aggregate, DocumentPath? Path, int Beside)[] _aggregates;
        private readonly int[] _besides;
        private readonly IReadOnlyList<AutoFields.Target> _targets;
        private readonly GroupKeyOutput _key = new();
        private readonly ArrayBufferWriter<byte> _json = new();

        public MapRun(AutoIndexDefinition definition)
        {
            _keys =
            [
                .. definition.GroupBy.Select((k, i) => (k, new DocumentPath(k.Path), new MapField(k.Path, i, null))),
            ];
            _besides =
            [
                .. definition.GroupBy.Select(
                    (k, i) => k.IsWholeArray ? -1 : Beside(k.Path, [.. definition.GroupBy.Take(i)])
                ),
            ];
            _aggregates =
            [
                .. definition.Aggregates.Select(a =>
                    (a, a.Path is null ? null : new DocumentPath(a.Path), Beside(a.Path, definition.GroupBy))
                ),
            ];
            _targets = AutoFields.Of(definition);
        }

        public IReadOnlyList<string> LoadedIds => [];

        public void Map(in ScriptDocument document, IIndexOutput output, CancellationToken ct) =>
            throw new NotSupportedException("The index has groups.");

        public void Map(in ScriptDocument document, IMapOutput output, CancellationToken ct)
        {
            var root = document.Body.Root;
            var values = new List<BinaryValue>[_keys.Length];
            for (var i = 0; i < values.Length; i++)
                values[i] = _keys[i].Path.Values(root);
            Combine(root, values, new int[_keys.Length], 0, output, ct);
        }

        public void Reduce(IReadOnlyList<BinaryJson> inputs, IIndexOutput output, CancellationToken ct)
        {
            if (inputs.Count == 0)
                return;
            var first = inputs[0].Root;
            _json.ResetWrittenCount();
            using (var json = new Utf8JsonWriter(_json))
            {
                json.WriteStartObject();
                foreach ((var key, _, _) in _keys)
                    Write(json, key.Path, first[key.Path]);
                foreach ((var aggregate, _, _) in _aggregates)
                {
                    if (aggregate.Function == "avg")
                    {
                        GroupAggregates.WriteAverage(json, aggregate, inputs);
                    }
                    else
                    {
                        GroupAggregates.Write(
                            json,
                            aggregate.Name,
                            aggregate.Function == "count" ? "sum" : aggregate.Function,
                            inputs.Select(i => i.Root[aggregate.Name])
                        );
                    }
                }

                json.WriteEndObject();
            }

            var result = BinaryJson.Parse(_json.WrittenSpan).Root;
            output.BeginEntry();
            foreach (var target in _targets)
                AutoFields.Give(target.Field, result[target.Source.Path], output);
            output.Object(_json.WrittenSpan);
            output.EndEntry();
        }

        /// <summary>Which key goes through the same array as a path.</summary>
        private static int Beside(string? path, IReadOnlyList<GroupKeyDemand> keys)
        {
            var end = path?.LastIndexOf("[]", StringComparison.Ordinal) ?? -1;
            for (var i = 0; end >= 0 && i < keys.Count; i++)
            {
                if (!keys[i].IsWholeArray && keys[i].Path.StartsWith(path![..(end + 2)], StringComparison.Ordinal))
                    return i;
            }

            return -1;
        }

        private void Combine(
            BinaryValue root,
            List<BinaryValue>[] values,
            int[] chosen,
            int key,
            IMapOutput output,
            CancellationToken ct
        )
        {
            ct.ThrowIfCancellationRequested();
            if (key == _keys.Length)
            {
                Emit(root, values, chosen, output);
                return;
            }

            var beside = _besides[key];
            if (beside >= 0 && values[beside].Count == values[key].Count)
            {
                chosen[key] = chosen[beside];
                Combine(root, values, chosen, key + 1, output, ct);
                return;
            }

            var count = _keys[key].Key.IsWholeArray ? 1 : values[key].Count;
            for (chosen[key] = 0; chosen[key] < count; chosen[key]++)
                Combine(root, values, chosen, key + 1, output, ct);
        }

        private void Emit(BinaryValue root, List<BinaryValue>[] values, int[] chosen, IMapOutput output)
        {
            _key.Reset();
            _json.ResetWrittenCount();
            using (var json = new Utf8JsonWriter(_json))
            {
                json.WriteStartObject();
                for (var i = 0; i < _keys.Length; i++)
                {
                    if (!_keys[i].Key.IsWholeArray)
                    {
                        GiveKey(_keys[i].Field, values[i][chosen[i]]);
                        Write(json, _keys[i].Key.Path, values[i][chosen[i]]);
                        continue;
                    }

                    json.WriteStartArray(_keys[i].Key.Path);
                    foreach (var value in values[i].SelectMany(v => v.Kind == JsonKind.Array ? Elements(v) : [v]))
                    {
                        GiveKey(_keys[i].Field, value);
                        WriteValue(json, value);
                    }

                    json.WriteEndArray();
                }

                foreach ((var aggregate, var path, var beside) in _aggregates)
                {
                    if (path is null)
                    {
                        json.WriteNumber(aggregate.Name, 1);
                        continue;
                    }

                    // An average is computed from sum and count, which the group also has.
                    if (aggregate.Function == "avg")
                        continue;
                    var all = path.Values(root);
                    var isOne = beside >= 0 && all.Count == values[beside].Count;
                    GroupAggregates.Write(
                        json,
                        aggregate.Name,
                        aggregate.Function,
                        isOne ? [all[chosen[beside]]] : all
                    );
                }

                json.WriteEndObject();
            }

            output.Mapped(_key.Written, _json.WrittenSpan);
        }

        /// <summary>Missing and null values form one group.</summary>
        private void GiveKey(MapField field, BinaryValue value)
        {
            if (value.IsNullOrMissing)
                _key.Null(field);
            else
                AutoFields.Give(field, value, _key);
        }

        private static List<BinaryValue> Elements(BinaryValue array)
        {
            var elements = new List<BinaryValue>(array.Count);
            foreach (var element in array.EnumerateArray())
                elements.Add(element);
            return elements;
        }

        private static void Write(Utf8JsonWriter json, string name, BinaryValue value)
        {
            json.WritePropertyName(name);
            WriteValue(json, value);
        }

        private static void WriteValue(Utf8JsonWriter json, BinaryValue value)
        {
            if (value.IsNullOrMissing)
                json.WriteNullValue();
            else
                json.WriteRawValue(value.ToString());
        }
    }
}
