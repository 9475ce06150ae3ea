using System.Buffers;
using System.Text.Json;
using Pipeline.Json;

namespace Pipeline.Documents;

/// <summary>
/// The list of attachments in a document's metadata, <c>@attachments</c>, which only the database maintains.
/// </summary>
internal static class AttachmentMetadata
{
    internal static ReadOnlySpan<byte> PropertyName => "@attachments"u8;

    /// <summary>The body with the current <c>@attachments</c>; without that property if there are none.</summary>
    internal static ReadOnlySpan<byte> Rewrite(BinaryJson body, IReadOnlyList<Attachment> attachments) =>
        MetadataProperty.Set(body, PropertyName, attachments.Count == 0 ? default : List(attachments));

    private static ReadOnlySpan<byte> List(IReadOnlyList<Attachment> attachments)
    {
        var text = new ArrayBufferWriter<byte>();
        using var json = new Utf8JsonWriter(text);
        json.WriteStartArray();
        foreach (var attachment in attachments)
        {
            json.WriteStartObject();
            json.WriteString("Name", attachment.Name);
            json.WriteString("Hash", attachment.Hash);
            json.WriteString("ContentType", attachment.ContentType);
            json.WriteNumber("Size", attachment.Size);
            json.WriteEndObject();
        }

        json.WriteEndArray();
        json.Flush();
        return text.WrittenSpan;
    }
}
