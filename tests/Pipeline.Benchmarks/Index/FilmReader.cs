using System.Text.Json;
using Pipeline.Indexing;

namespace Pipeline.Benchmarks.Index;

/// <summary>Parses films and adds them to a batch, as Q1 says; for one thread.</summary>
public sealed class FilmReader(IndexStore store, IndexBatch batch)
{
    private static readonly FieldOptions Search = new() { Indexing = TermForm.Search };
    private readonly IndexField _title = store.Field("Title", Search);
    private readonly IndexField _extract = store.Field("Extract", Search);
    private readonly IndexField _cast = store.Field("Cast", Search);
    private readonly IndexField _genres = store.Field("Genres", Search);
    private readonly IndexField _year = store.Field("Year");
    private readonly byte[] _id = new byte[256];
    private byte[] _text = new byte[4096];

    /// <summary>Adds a copy of a film.</summary>
    public void Add(byte[] line, int copy)
    {
        var json = new Utf8JsonReader(line);
        EntryBuilder? entry = null;
        json.Read();
        while (json.Read() && json.TokenType == JsonTokenType.PropertyName)
        {
            if (json.ValueTextEquals("@metadata"u8))
                entry = batch.Begin(ReadId(ref json, copy));
            else if (json.ValueTextEquals("Title"u8))
                AddTexts(ref json, entry!, _title);
            else if (json.ValueTextEquals("Extract"u8))
                AddTexts(ref json, entry!, _extract);
            else if (json.ValueTextEquals("Cast"u8))
                AddTexts(ref json, entry!, _cast);
            else if (json.ValueTextEquals("Genres"u8))
                AddTexts(ref json, entry!, _genres);
            else if (json.ValueTextEquals("Year"u8) && json.Read() && json.TokenType == JsonTokenType.Number)
                entry!.AddLong(_year, json.GetInt64());
            else
                json.Skip();
        }

        entry!.End();
    }

    private ReadOnlySpan<byte> ReadId(ref Utf8JsonReader json, int copy)
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

        _id[length] = (byte)'-';
        _id[length + 1] = (byte)('0' + copy);
        return _id.AsSpan(0, length + 2);
    }

    private void AddTexts(ref Utf8JsonReader json, EntryBuilder entry, IndexField field)
    {
        json.Read();
        if (json.TokenType == JsonTokenType.String)
            AddText(ref json, entry, field);
        if (json.TokenType != JsonTokenType.StartArray)
            return;
        while (json.Read() && json.TokenType != JsonTokenType.EndArray)
        {
            if (json.TokenType == JsonTokenType.String)
                AddText(ref json, entry, field);
        }
    }

    private void AddText(ref Utf8JsonReader json, EntryBuilder entry, IndexField field)
    {
        if (!json.ValueIsEscaped)
        {
            entry.AddText(field, json.ValueSpan);
            return;
        }

        if (_text.Length < json.ValueSpan.Length)
            _text = new byte[json.ValueSpan.Length * 2];
        entry.AddText(field, _text.AsSpan(0, json.CopyString(_text)));
    }
}
