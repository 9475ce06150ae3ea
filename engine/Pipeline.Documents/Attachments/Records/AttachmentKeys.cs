using System.Buffers.Binary;
using System.Text;

namespace Pipeline.Documents;

/// <summary>
/// The keys of attachments: <c>id in lower case, a zero byte, name in lower case</c>, and of the parts of their
/// contents.
/// </summary>
internal static class AttachmentKeys
{
    /// <summary>Of the name in lower case: with the longest id, a key has just the bytes that a tree allows.</summary>
    internal const int MaxNameBytes = 255;

    internal const int MaxKeyBytes = DocumentKeys.MaxKeyBytes + 1 + MaxNameBytes;
    internal const int NumberBytes = 8;
    internal const int PartBytes = NumberBytes + 4;
    internal const int HashBytes = 32;

    /// <summary>The key of an attachment; that of the first one for an empty name.</summary>
    internal static byte[] Of(ReadOnlySpan<byte> idKey, string name) =>
        [.. idKey, 0, .. DocumentKeys.LowerPrefix(name)];

    /// <summary>
    /// Whether a key is one of an id's attachments; an id has no control characters, so the zero byte ends it.
    /// </summary>
    internal static bool IsOf(ReadOnlySpan<byte> key, ReadOnlySpan<byte> idKey) =>
        key.Length > idKey.Length && key.StartsWith(idKey) && key[idKey.Length] == 0;

    internal static void WriteNumber(Span<byte> key, long number) => BinaryPrimitives.WriteInt64BigEndian(key, number);

    internal static void WritePart(Span<byte> key, long number, int part)
    {
        BinaryPrimitives.WriteInt64BigEndian(key, number);
        BinaryPrimitives.WriteInt32BigEndian(key[NumberBytes..], part);
    }

    /// <exception cref="AttachmentException">It cannot be a media type.</exception>
    internal static void CheckContentType(string documentId, string name, string contentType)
    {
        if (!Attachment.IsContentType(contentType))
        {
            throw new AttachmentException(
                documentId,
                name,
                AttachmentProblem.InvalidContentType,
                $"'{DocumentKeys.Printable(contentType)}' cannot be the content type of the attachment '{name}' of '{documentId}': use ASCII without control characters."
            );
        }
    }

    /// <exception cref="AttachmentException">It cannot be a name.</exception>
    internal static void CheckName(string documentId, string name)
    {
        ArgumentNullException.ThrowIfNull(name);
        var reason =
            name.Length == 0 ? "it is empty"
            : Math.Max(Encoding.UTF8.GetByteCount(name), DocumentKeys.LowerPrefix(name).Length) > MaxNameBytes
                ? $"it has more than {MaxNameBytes} bytes of UTF-8"
            : name.Any(char.IsControl) ? "it holds a control character"
            : null;
        if (reason is not null)
        {
            throw new AttachmentException(
                documentId,
                name,
                AttachmentProblem.InvalidName,
                $"'{DocumentKeys.Printable(name)}' cannot be the name of an attachment: {reason}."
            );
        }
    }
}
