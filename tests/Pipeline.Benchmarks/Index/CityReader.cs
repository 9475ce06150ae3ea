using System.Text.Json;
using Pipeline.Indexing;

namespace Pipeline.Benchmarks.Index;

/// <summary>Parses cities and adds them to a batch, as Q3 says; for one thread.</summary>
public sealed class CityReader(IndexStore store, IndexBatch batch)
{
    private readonly IndexField _name = store.Field("Name", new FieldOptions { Indexing = TermForm.Search });
    private readonly IndexField _country = store.Field("Country", new FieldOptions { Indexing = TermForm.Exact });
    private readonly IndexField _feature = store.Field("Feature", new FieldOptions { Indexing = TermForm.Exact });
    private readonly IndexField _population = store.Field("Population");
    private readonly IndexField _location = store.Field("Location");
    private readonly byte[] _id = new byte[256];
    private readonly byte[] _text = new byte[4096];

    public void Add(byte[] line)
    {
        var json = new Utf8JsonReader(line);
        EntryBuilder? entry = null;
        double latitude = 0;
        json.Read();
        while (json.Read() && json.TokenType == JsonTokenType.PropertyName)
        {
            if (json.ValueTextEquals("@metadata"u8))
                entry = batch.Begin(ReadId(ref json));
            else if (json.ValueTextEquals("Name"u8))
                AddText(ref json, entry!, _name);
            else if (json.ValueTextEquals("Country"u8))
                AddText(ref json, entry!, _country);
            else if (json.ValueTextEquals("Feature"u8))
                AddText(ref json, entry!, _feature);
            else if (json.ValueTextEquals("Population"u8) && json.Read())
                entry!.AddLong(_population, json.GetInt64());
            else if (json.ValueTextEquals("Latitude"u8) && json.Read())
                latitude = json.GetDouble();
            else if (json.ValueTextEquals("Longitude"u8) && json.Read())
                entry!.AddPoint(_location, latitude, json.GetDouble());
            else
                json.Skip();
        }

        entry!.End();
    }

    private ReadOnlySpan<byte> ReadId(ref Utf8JsonReader json)
    {
        json.Read();
        var length = 0;
        while (json.Read() && json.TokenType == JsonTokenType.PropertyName)
        {
            var isId = json.ValueTextEquals("@id"u8);
            json.Read();
            if (isId)
                length = json.CopyString(_id);
        }

        return _id.AsSpan(0, length);
    }

    private void AddText(ref Utf8JsonReader json, EntryBuilder entry, IndexField field)
    {
        json.Read();
        entry.AddText(field, _text.AsSpan(0, json.CopyString(_text)));
    }
}
