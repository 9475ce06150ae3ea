using System.Buffers;
using System.Globalization;
using System.Text;
using System.Text.Encodings.Web;
using System.Text.Json;
using Pipeline.Scripting.Runtime;

namespace Pipeline.Database.Indexes;

/// <summary>Entries as JSON text, for people. A field with several values is an array. Not thread-safe.</summary>
internal sealed class EntryText : IIndexOutput
{
    private readonly Dictionary<string, List<string>> _values = new(StringComparer.Ordinal);
    private readonly List<string> _order = [];
    private string? _object;

    public List<string> Entries { get; } = [];

    public void BeginEntry()
    {
        _values.Clear();
        _order.Clear();
        _object = null;
    }

    public void Null(MapField field) => Add(field, "null");

    public void Boolean(MapField field, bool value) => Add(field, value ? "true" : "false");

    public void Integer(MapField field, long value) => Add(field, value.ToString(CultureInfo.InvariantCulture));

    public void Real(MapField field, double value) =>
        Add(
            field,
            double.IsFinite(value)
                ? value.ToString("R", CultureInfo.InvariantCulture)
                : Quote(value.ToString(CultureInfo.InvariantCulture))
        );

    public void Text(MapField field, ReadOnlySpan<byte> utf8) => Add(field, Quote(Encoding.UTF8.GetString(utf8)));

    public void Json(MapField field, ReadOnlySpan<byte> utf8) => Add(field, Encoding.UTF8.GetString(utf8));

    public void Point(MapField field, double latitude, double longitude) =>
        Add(field, string.Create(CultureInfo.InvariantCulture, $"[{latitude:R},{longitude:R}]"));

    public void Shape(MapField field, string wkt) => Add(field, Quote(wkt));

    public void Object(ReadOnlySpan<byte> utf8Json) => _object = Encoding.UTF8.GetString(utf8Json);

    public void EndEntry() => Entries.Add(_object ?? Write());

    private string Write() => $"{{{string.Join(',', _order.Select(name => $"{Quote(name)}:{Value(_values[name])}"))}}}";

    private static string Value(List<string> values) => values.Count == 1 ? values[0] : $"[{string.Join(',', values)}]";

    private void Add(MapField field, string json)
    {
        if (!_values.TryGetValue(field.Name, out var values))
        {
            _values[field.Name] = values = [];
            _order.Add(field.Name);
        }

        values.Add(json);
    }

    private static string Quote(string text)
    {
        var buffer = new ArrayBufferWriter<byte>();
        using (
            var json = new Utf8JsonWriter(
                buffer,
                new JsonWriterOptions { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping }
            )
        )
        {
            json.WriteStringValue(text);
        }

        return Encoding.UTF8.GetString(buffer.WrittenSpan);
    }
}
