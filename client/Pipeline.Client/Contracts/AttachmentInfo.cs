namespace Pipeline.Client;

/// <summary>The description of an attachment without its content.</summary>
/// <param name="Name">The name in its original case.</param>
/// <param name="ContentType">The media type; <c>application/octet-stream</c> if none was given.</param>
/// <param name="Hash">SHA-256 of the content in base64.</param>
/// <param name="Size">Bytes of the content.</param>
public sealed record AttachmentInfo(string Name, string ContentType, string Hash, long Size);
