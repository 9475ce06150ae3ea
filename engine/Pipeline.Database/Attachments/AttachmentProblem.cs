namespace Pipeline.Database;

/// <summary>Why something cannot be done with an attachment.</summary>
public enum AttachmentProblem
{
    /// <summary>There is no such document.</summary>
    NoDocument,

    /// <summary>The document has no such attachment.</summary>
    NoAttachment,

    /// <summary>The text cannot be an attachment's name.</summary>
    InvalidName,

    /// <summary>The text cannot be a media type.</summary>
    InvalidContentType,

    /// <summary>The content has more bytes than <see cref="DatabaseOptions.MaxAttachmentBytes"/>.</summary>
    TooLarge,

    /// <summary>The content was given up before it was used.</summary>
    Released,
}
