using System.Buffers;
using System.Globalization;
using System.Security.Cryptography;
using System.Text;
using System.Text.Json;
using Pipeline.Etl.Configuration;
using Pipeline.Json;
using Pipeline.Scripting;

namespace Pipeline.Configuration.Testing;

/// <summary>
/// The documents of one case as scripts see them, and what <c>load</c> finds: all of them, by id without case.
/// </summary>
internal sealed class TestDocuments : IScriptDocuments
{
    /// <summary>The id that the case's database has.</summary>
    public const string DatabaseId = "AAAAAAAAAAAAAAAAAAAAAA";

    private static readonly DateTimeOffset Epoch = new(2000, 1, 1, 0, 0, 0, TimeSpan.Zero);
    private static readonly string[] Own = ["@id", "@collection", "@change-vector", "@last-modified"];
    private readonly Dictionary<string, ScriptDocument> _byId = new(StringComparer.OrdinalIgnoreCase);
    private readonly Dictionary<string, Dictionary<string, ScriptAttachment>> _attachments = new(
        StringComparer.OrdinalIgnoreCase
    );
    private long _position;

    /// <inheritdoc/>
    public bool TryLoad(string id, out ScriptDocument document) =>
        _byId.TryGetValue(id, out document) && !document.IsDeleted;

    /// <inheritdoc/>
    public ScriptAttachment? LoadAttachment(string id, string name, int maxBytes)
    {
        if (!_attachments.TryGetValue(id, out var byName) || !byName.TryGetValue(name, out var attachment))
        {
            return null;
        }

        return attachment.Content.Length <= maxBytes
            ? attachment
            : throw new ScriptLimitException("limits.bodyBytes", maxBytes.ToString(CultureInfo.InvariantCulture));
    }

    /// <summary>Creates a document from its configuration.</summary>
    /// <param name="document">The document's configuration in the case.</param>
    /// <param name="file">The file that the case is in.</param>
    /// <param name="collection">
    /// Its collection if neither the case nor the document names one; <see langword="null"/> for none.
    /// </param>
    /// <exception cref="FormatException">The document cannot be created; the message says why.</exception>
    public ScriptDocument Add(TestDocumentConfiguration document, string file, string? collection)
    {
        try
        {
            using var body = JsonDocument.Parse(Body(document, file));
            if (body.RootElement.ValueKind != JsonValueKind.Object)
                throw new FormatException($"the document must be a mapping, found {body.RootElement.ValueKind}");
            var within =
                body.RootElement.TryGetProperty("@metadata", out var found) && found.ValueKind == JsonValueKind.Object
                    ? found
                    : default;
            using var given = document.Metadata is { } metadata ? JsonDocument.Parse(metadata.Json) : null;
            var more = given?.RootElement ?? default;
            var id =
                document.Id
                ?? Text(more, "@id")
                ?? Text(within, "@id")
                ?? throw new FormatException("the document has no id: add 'id'");
            var modified = Text(more, "@last-modified") ?? Text(within, "@last-modified") ?? "";
            if (
                !DateTimeOffset.TryParse(
                    modified,
                    CultureInfo.InvariantCulture,
                    DateTimeStyles.AssumeUniversal,
                    out var time
                )
            )
            {
                time = Epoch;
            }

            var result = new ScriptDocument(
                id,
                document.Deleted ? default : BinaryJson.Parse(Write(body.RootElement, within, more))
            )
            {
                Collection =
                    document.Collection ?? Text(more, "@collection") ?? Text(within, "@collection") ?? collection,
                Version = (++_position, DatabaseId),
                LastModified = time,
                IsDeleted = document.Deleted,
            };
            _attachments[id] = document.Attachments.ToDictionary(
                a => a.Name,
                Attachment,
                StringComparer.OrdinalIgnoreCase
            );
            return _byId[id] = result;
        }
        catch (Exception e)
            when (e
                    is IOException
                        or UnauthorizedAccessException
                        or JsonException
                        or JsonFormatException
                        or ArgumentException
            )
        {
            throw new FormatException(document.File is null ? e.Message : $"{document.File}: {e.Message}", e);
        }
    }

    private static ScriptAttachment Attachment(TestAttachmentConfiguration attachment)
    {
        var content = attachment.Base64 is { } base64
            ? Convert.FromBase64String(base64)
            : Encoding.UTF8.GetBytes(attachment.Text ?? "");
        return new ScriptAttachment(
            attachment.Name,
            attachment.ContentType,
            Convert.ToBase64String(SHA256.HashData(content)),
            content
        );
    }

    private static ReadOnlyMemory<byte> Body(TestDocumentConfiguration document, string file)
    {
        if (document.File is { } path)
            return File.ReadAllBytes(Path.GetFullPath(path, Path.GetDirectoryName(Path.GetFullPath(file))!));
        return document.Body?.Json ?? "{}"u8.ToArray();
    }

    private static byte[] Write(JsonElement body, JsonElement within, JsonElement more)
    {
        var buffer = new ArrayBufferWriter<byte>();
        using var json = new Utf8JsonWriter(buffer);
        json.WriteStartObject();
        foreach (var property in body.EnumerateObject().Where(p => p.Name != "@metadata"))
            property.WriteTo(json);
        json.WriteStartObject("@metadata");
        var metadata = Properties(more)
            .Concat(
                Properties(within)
                    .Where(p => more.ValueKind != JsonValueKind.Object || !more.TryGetProperty(p.Name, out _))
            );
        foreach (var property in metadata.Where(p => !Own.Contains(p.Name)))
            property.WriteTo(json);
        json.WriteEndObject();
        json.WriteEndObject();
        json.Flush();
        return buffer.WrittenSpan.ToArray();
    }

    private static JsonElement.ObjectEnumerator Properties(JsonElement element) =>
        element.ValueKind == JsonValueKind.Object ? element.EnumerateObject() : default;

    private static string? Text(JsonElement element, string name) =>
        element.ValueKind == JsonValueKind.Object
        && element.TryGetProperty(name, out var value)
        && value.ValueKind == JsonValueKind.String
            ? value.GetString()
            : null;
}
