namespace Pipeline.Documents;

/// <summary>The properties of a file that belongs to a document. Immutable.</summary>
/// <param name="DocumentId">The document, as its id was written.</param>
/// <param name="Name">The name in its original case; compared without case.</param>
/// <param name="ContentType">The media type that was given; empty where none was.</param>
/// <param name="Hash">SHA-256 of the content in base64: equal contents are stored once.</param>
/// <param name="Size">Bytes of the content.</param>
/// <param name="ChangeVector">The version: that of the document's change that put it there.</param>
public sealed record Attachment(
    string DocumentId,
    string Name,
    string ContentType,
    string Hash,
    long Size,
    string ChangeVector
)
{
    /// <summary>
    /// Whether a text can be kept as a media type: ASCII without control characters, which any header can hold. The
    /// empty text can: no type was given.
    /// </summary>
    public static bool IsContentType(string text)
    {
        ArgumentNullException.ThrowIfNull(text);
        return text.AsSpan().IndexOfAnyExceptInRange(' ', '~') < 0;
    }
}
