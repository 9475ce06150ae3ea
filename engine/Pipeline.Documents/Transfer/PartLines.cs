using System.Text.Json;

namespace Pipeline.Documents.Transfer;

/// <summary>
/// The lines of an export other than documents. Each names its type in its metadata, under <c>@export-type</c>;
/// payloads and contents are Base64. They follow the documents.
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

    /// <summary>The type of a line; null for a document.</summary>
    internal static string? TypeOf(ReadOnlySpan<byte> line)
    {
        if (line.IndexOf("\"@export-type\""u8) < 0)
            return null;
        try
        {
            var reader = new Utf8JsonReader(line);
            if (!reader.Read() || reader.TokenType != JsonTokenType.StartObject)
                return null;
            while (reader.Read() && reader.TokenType == JsonTokenType.PropertyName)
            {
                var isMetadata = reader.ValueTextEquals("@metadata"u8);
                reader.Read();
                if (!isMetadata || reader.TokenType != JsonTokenType.StartObject)
                {
                    reader.Skip();
                    continue;
                }

                while (reader.Read() && reader.TokenType == JsonTokenType.PropertyName)
                {
                    var isType = reader.ValueTextEquals("@export-type"u8);
                    reader.Read();
                    if (isType && reader.TokenType == JsonTokenType.String)
                        return reader.GetString();
                    reader.Skip();
                }
            }

            return null;
        }
        catch (JsonException)
        {
            // The code that reads the line as a document reports the error and its place.
            return null;
        }
    }
}

/// <summary>A line of an export other than a document cannot be imported.</summary>
internal sealed class PartLineException(string message, Exception? inner = null) : Exception(message, inner);
