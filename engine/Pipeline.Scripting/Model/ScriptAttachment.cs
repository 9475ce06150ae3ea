namespace Pipeline.Scripting;

/// <summary>An attachment of the current document, as a script sees it.</summary>
/// <param name="Name">Its name.</param>
/// <param name="ContentType">Its content type.</param>
/// <param name="Hash">The hash of its content, in Base64.</param>
/// <param name="Content">Its content.</param>
public sealed record ScriptAttachment(string Name, string ContentType, string Hash, ReadOnlyMemory<byte> Content);
