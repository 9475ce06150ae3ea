using System.Buffers;
using System.Text.Json;

namespace Pipeline.Client.Transport;

/// <summary>An index in the form of the HTTP API.</summary>
internal static class IndexBody
{
    /// <summary>The body of the request.</summary>
    public static byte[] Of(IndexText index)
    {
        var target = new ArrayBufferWriter<byte>();
        using (var json = new Utf8JsonWriter(target))
        {
            json.WriteStartObject();
            json.WriteStartArray("Indexes"u8);
            json.WriteStartObject();
            json.WriteString("Name"u8, index.Name);
            json.WriteStartArray("Maps"u8);
            foreach (var map in index.Maps)
                json.WriteStringValue(map);
            json.WriteEndArray();
            json.WriteString("Reduce"u8, index.Reduce);
            json.WriteStartObject("Fields"u8);
            foreach (var (name, field) in index.Fields)
            {
                json.WriteStartObject(name);
                if (IndexingOf(field) is { } indexing)
                    json.WriteString("Indexing"u8, indexing);
                json.WriteString("Analyzer"u8, field.Analyzer);
                json.WriteString("Storage"u8, field.IsStored ? "Yes"u8 : "No"u8);
                if (field.Boost != 1)
                    json.WriteNumber("Boost"u8, field.Boost);
                json.WriteEndObject();
            }

            json.WriteEndObject();
            json.WriteEndObject();
            json.WriteEndArray();
            json.WriteEndObject();
        }

        return target.WrittenSpan.ToArray();
    }

    /// <summary>
    /// The name of how a field is indexed; <see langword="null"/> leaves it to the analyzer or the default.
    /// </summary>
    public static string? IndexingOf(IndexFieldOptions field) =>
        field.Text switch
        {
            TextIndexing.Exact => "Exact",
            TextIndexing.Words => "Search",
            TextIndexing.Nothing => "No",
            _ => null,
        };
}
