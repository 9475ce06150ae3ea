using System.Buffers;
using System.Text.Json;
using Pipeline.Database.Json;

namespace Pipeline.Database;

/// <summary>A document's metadata tells of its attachments: <c>@attachments</c>, as the database knows them and nobody else.</summary>
internal static class AttachmentMetadata
{
    internal static ReadOnlySpan<byte> PropertyName => "@attachments"u8;

    /// <summary>The body with <c>@attachments</c> as they are; without it where there are none.</summary>
    internal static ReadOnlySpan<byte> Rewrite(BinaryJson body, IReadOnlyList<Attachment> attachments)
    {
        var text = new ArrayBufferWriter<byte>(body.Data.Length + 256);
        var writer = new JsonTextWriter(text);
        writer.Raw("{\"@metadata\":{"u8);
        if (attachments.Count > 0)
        {
            writer.Raw((byte)'"');
            writer.Raw(PropertyName);
            writer.Raw("\":"u8);
            writer.Raw(List(attachments));
        }

        if (body.Root.TryGetProperty("@metadata"u8, out BinaryValue metadata)) writer.Properties(metadata, first: attachments.Count == 0, PropertyName);
        writer.Raw((byte)'}');
        writer.Properties(body.Root, first: false, "@metadata"u8);
        writer.Raw((byte)'}');
        writer.Flush();

        // The limits are those of what users give; this is what they gave and a list.
        BinaryJsonParser parser = BinaryJsonParser.ForThread();
        parser.ParseText(text.WrittenSpan, new JsonLimits { MaxDepth = int.MaxValue, MaxBytes = int.MaxValue }, asDocument: true);
        return parser.Output;
    }

    private static ReadOnlySpan<byte> List(IReadOnlyList<Attachment> attachments)
    {
        var text = new ArrayBufferWriter<byte>();
        using var json = new Utf8JsonWriter(text);
        json.WriteStartArray();
        foreach (Attachment attachment in attachments)
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
