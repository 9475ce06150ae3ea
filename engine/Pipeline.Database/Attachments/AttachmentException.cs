namespace Pipeline.Database;

/// <summary>What was asked of an attachment cannot be done; nothing was changed.</summary>
public sealed class AttachmentException : Exception
{
    /// <summary>Makes the error.</summary>
    /// <param name="documentId">The document.</param>
    /// <param name="name">The attachment.</param>
    /// <param name="kind">What is wrong.</param>
    /// <param name="message">The same for people, with the mend.</param>
    public AttachmentException(string documentId, string name, AttachmentProblem kind, string message)
        : base(message)
    {
        DocumentId = documentId;
        Name = name;
        Kind = kind;
    }

    /// <summary>The document.</summary>
    public string DocumentId { get; }

    /// <summary>The attachment.</summary>
    public string Name { get; }

    /// <summary>What is wrong.</summary>
    public AttachmentProblem Kind { get; }
}
