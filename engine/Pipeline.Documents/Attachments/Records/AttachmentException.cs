namespace Pipeline.Documents;

/// <summary>An operation on an attachment cannot be done; nothing was changed.</summary>
public sealed class AttachmentException : Exception
{
    /// <summary>Makes the error.</summary>
    /// <param name="documentId">The document.</param>
    /// <param name="name">The attachment.</param>
    /// <param name="kind">The kind of problem.</param>
    /// <param name="message">The problem in words, with a suggested fix.</param>
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

    /// <summary>The kind of problem.</summary>
    public AttachmentProblem Kind { get; }
}
