using System.Text.Json;

namespace Pipeline.Database.Transfer;

/// <summary>
/// The lines of an export that are no documents. Each says in its metadata, under <c>@export-type</c>, what it is; payloads and contents are Base64. They follow the documents.
/// </summary>
internal static class PartLines
{
    internal const string TypeKey = "@export-type";
    internal const string Attachment = "Attachment";
    internal const string Event = "Event";
    internal const string EventSnapshot = "EventSnapshot";
    internal const string CompareExchange = "CompareExchange";

    /// <summary>The most bytes of an attachment that a line has.</summary>
    internal const int ContentBytes = 192 * 1024;

    /// <summary>What a line is; null for a document.</summary>
    internal static string? TypeOf(ReadOnlySpan<byte> line)
    {
        if (line.IndexOf("\"@export-type\""u8) < 0) return null;
        try
        {
            var reader = new Utf8JsonReader(line);
            if (!reader.Read() || reader.TokenType != JsonTokenType.StartObject) return null;
            while (reader.Read() && reader.TokenType == JsonTokenType.PropertyName)
            {
                bool isMetadata = reader.ValueTextEquals("@metadata"u8);
                reader.Read();
                if (!isMetadata || reader.TokenType != JsonTokenType.StartObject)
                {
                    reader.Skip();
                    continue;
                }

                while (reader.Read() && reader.TokenType == JsonTokenType.PropertyName)
                {
                    bool isType = reader.ValueTextEquals("@export-type"u8);
                    reader.Read();
                    if (isType && reader.TokenType == JsonTokenType.String) return reader.GetString();
                    reader.Skip();
                }
            }

            return null;
        }
        catch (JsonException)
        {
            // Whoever reads it as a document says what is wrong, and where.
            return null;
        }
    }
}
