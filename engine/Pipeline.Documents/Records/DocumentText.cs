using System.Buffers;
using System.Buffers.Text;
using System.Text;
using Pipeline.Json;

namespace Pipeline.Documents;

/// <summary>Documents as JSON text: <c>@metadata</c> first, the database's own properties before the user's.</summary>
internal static class DocumentText
{
    internal static void Write(
        IBufferWriter<byte> target,
        Document document,
        DocumentParts parts,
        ReadOnlySpan<byte> moreMetadata
    )
    {
        var withMetadata = (parts & DocumentParts.Metadata) != 0;
        var writer = new JsonTextWriter(target);
        writer.Raw((byte)'{');
        if (withMetadata)
        {
            writer.Raw("\"@metadata\":{\"@id\":"u8);
            String(ref writer, document.Id);
            if ((parts & DocumentParts.OmitEmptyCollection) == 0 || document.Collection != Document.EmptyCollection)
            {
                writer.Raw(",\"@collection\":"u8);
                String(ref writer, document.Collection);
            }

            writer.Raw(",\"@change-vector\":"u8);
            String(ref writer, document.ChangeVector);
            writer.Raw(",\"@last-modified\":\""u8);
            Span<byte> date = stackalloc byte[40];
            Utf8Formatter.TryFormat(document.LastModified.UtcDateTime, date, out var written, 'O');
            writer.Raw(date[..written]);
            writer.Raw((byte)'"');
            if (document.IsDeleted)
                writer.Raw(",\"@deleted\":true"u8);
            writer.Raw(moreMetadata);
            writer.Properties(document.Metadata, first: false, default);
            writer.Raw((byte)'}');
        }

        if ((parts & DocumentParts.Body) != 0)
            writer.Properties(document.Body.Root, first: !withMetadata, "@metadata"u8);
        writer.Raw((byte)'}');
        writer.Flush();
    }

    private static void String(ref JsonTextWriter writer, string text)
    {
        Span<byte> utf8 = stackalloc byte[DocumentKeys.MaxKeyBytes];
        writer.String(utf8[..Encoding.UTF8.GetBytes(text, utf8)]);
    }
}
