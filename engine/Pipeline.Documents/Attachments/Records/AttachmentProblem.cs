namespace Pipeline.Documents;

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

    /// <summary>The content has more bytes than <see cref="DocumentStorageOptions.MaxAttachmentBytes"/>.</summary>
    TooLarge,

    /// <summary>The upload of the content was abandoned before the content was used.</summary>
    Released,
}
