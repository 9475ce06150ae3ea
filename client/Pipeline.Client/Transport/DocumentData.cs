using System.Text.Json;

namespace Pipeline.Client.Transport;

/// <summary>A document or a query's result as JSON, and what its metadata says.</summary>
/// <remarks>The version and its time are read from the text when they are asked for.</remarks>
internal sealed class DocumentData
{
    private const int FirstMetadata = 13;
    private Range _changeVectorAt,
        _lastModifiedAt;
    private string? _changeVector;
    private bool _isMetadataRead = true;

    private DocumentData(ReadOnlyMemory<byte> json, int metadataName, int metadataStart, int metadataEnd) =>
        (Json, _metadataName, _metadataStart, _metadataEnd) = (json, metadataName, metadataStart, metadataEnd);

    private readonly int _metadataName,
        _metadataStart,
        _metadataEnd;

    /// <summary>Whether a query made it of a document.</summary>
    public bool IsProjection { get; private set; }

    /// <summary>The whole text in UTF-8.</summary>
    public ReadOnlyMemory<byte> Json { get; }

    /// <summary>The id; <see langword="null"/> for a result that belongs to no document.</summary>
    public string? Id { get; private set; }

    /// <summary>The version.</summary>
    public string? ChangeVector
    {
        get
        {
            EnsureMetadata();
            return _changeVector ??= TryReadText(_changeVectorAt, out var reader) ? reader.GetString() : null;
        }
    }

    /// <summary>The time of the last change.</summary>
    public DateTimeOffset? LastModified
    {
        get
        {
            EnsureMetadata();
            return TryReadText(_lastModifiedAt, out var reader) && reader.TryGetDateTimeOffset(out var time)
                ? time
                : null;
        }
    }

    /// <summary>The metadata as JSON; empty without any.</summary>
    public ReadOnlyMemory<byte> Metadata => _metadataEnd == 0 ? default : Json[_metadataStart.._metadataEnd];

    /// <summary>
    /// Two parts that together are the document without its metadata. The first begins with the object's brace.
    /// </summary>
    public void WithoutMetadata(out ReadOnlySpan<byte> head, out ReadOnlySpan<byte> tail)
    {
        tail = default;
        var json = Json.Span;
        if (_metadataEnd == 0)
        {
            head = json.TrimStart(Whitespace);
            return;
        }

        head = json[.._metadataName].Trim(Whitespace);
        tail = json[_metadataEnd..].TrimStart(Whitespace);
        // One comma goes with it: that before it, or that behind it if it is the first member.
        if (head[^1] == (byte)',')
            head = head[..^1];
        else if (tail[0] == (byte)',')
            tail = tail[1..];
    }

    /// <summary>A document of the database, which is no projection.</summary>
    /// <param name="json">
    /// An object in UTF-8 JSON that nobody changes any more. It begins with the metadata: <c>{"@metadata":{</c>.
    /// </param>
    /// <param name="id">Its id.</param>
    /// <param name="metadataEnd">Where its metadata ends.</param>
    public static DocumentData Of(ReadOnlyMemory<byte> json, string id, int metadataEnd) =>
        new(json, 1, FirstMetadata, metadataEnd) { Id = id, _isMetadataRead = false };

    /// <summary>Reads a text.</summary>
    /// <param name="json">An object in UTF-8 JSON that nobody changes any more.</param>
    /// <exception cref="JsonException">It is no object.</exception>
    /// <param name="knownId">The id, if it is known; that of the metadata counts if it is another one.</param>
    public static DocumentData Parse(ReadOnlyMemory<byte> json, string? knownId = null)
    {
        var reader = new Utf8JsonReader(json.Span);
        if (!reader.Read() || reader.TokenType != JsonTokenType.StartObject)
            throw new JsonException("a document must be an object");
        while (reader.Read() && reader.TokenType == JsonTokenType.PropertyName)
        {
            var isMetadata = reader.ValueTextEquals("@metadata"u8);
            var name = (int)reader.TokenStartIndex;
            reader.Read();
            if (!isMetadata || reader.TokenType != JsonTokenType.StartObject)
            {
                reader.Skip();
                continue;
            }

            var start = (int)reader.TokenStartIndex;
            var (id, changeVectorAt, lastModifiedAt, isProjection) = ReadMetadata(ref reader, knownId);
            return new DocumentData(json, name, start, (int)reader.BytesConsumed)
            {
                Id = id ?? knownId,
                IsProjection = isProjection,
                _changeVectorAt = changeVectorAt,
                _lastModifiedAt = lastModifiedAt,
            };
        }

        return new DocumentData(json, 0, 0, 0) { Id = knownId };
    }

    private static ReadOnlySpan<byte> Whitespace => " \t\r\n"u8;

    private static (string? Id, Range ChangeVectorAt, Range LastModifiedAt, bool IsProjection) ReadMetadata(
        ref Utf8JsonReader reader,
        string? knownId
    )
    {
        string? id = null;
        Range changeVectorAt = default,
            lastModifiedAt = default;
        var isProjection = false;
        while (reader.Read() && reader.TokenType == JsonTokenType.PropertyName)
        {
            var isId = reader.ValueTextEquals("@id"u8);
            var isVector = !isId && reader.ValueTextEquals("@change-vector"u8);
            var isModified = !isId && !isVector && reader.ValueTextEquals("@last-modified"u8);
            var isMade = !isId && !isVector && !isModified && reader.ValueTextEquals("@projection"u8);
            reader.Read();
            if (isId && reader.TokenType == JsonTokenType.String)
                id = knownId is not null && reader.ValueTextEquals(knownId) ? knownId : reader.GetString();
            else if (isVector && reader.TokenType == JsonTokenType.String)
                changeVectorAt = (int)reader.TokenStartIndex..(int)reader.BytesConsumed;
            else if (isModified && reader.TokenType == JsonTokenType.String)
                lastModifiedAt = (int)reader.TokenStartIndex..(int)reader.BytesConsumed;
            else if (isMade)
                isProjection = reader.TokenType == JsonTokenType.True;
            else
                reader.Skip();
        }

        return (id, changeVectorAt, lastModifiedAt, isProjection);
    }

    private void EnsureMetadata()
    {
        if (_isMetadataRead)
            return;
        var reader = new Utf8JsonReader(Json.Span);
        while (reader.TokenStartIndex < FirstMetadata && reader.Read()) { }
        (_, _changeVectorAt, _lastModifiedAt, _) = ReadMetadata(ref reader, Id);
        _isMetadataRead = true;
    }

    private bool TryReadText(Range at, out Utf8JsonReader reader)
    {
        reader = new Utf8JsonReader(Json.Span[at]);
        return at.End.Value > 0 && reader.Read();
    }
}
