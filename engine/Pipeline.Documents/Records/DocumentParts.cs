namespace Pipeline.Documents;

/// <summary>Parts of a document's JSON text.</summary>
[Flags]
public enum DocumentParts
{
    /// <summary>Nothing but the braces.</summary>
    None = 0,

    /// <summary><c>@metadata</c>, complete.</summary>
    Metadata = 1,

    /// <summary>The properties other than <c>@metadata</c>.</summary>
    Body = 2,

    /// <summary>The whole document.</summary>
    All = Metadata | Body,

    /// <summary>
    /// The metadata has no <c>@collection</c> where the document is in <see cref="Document.EmptyCollection"/>, as
    /// RavenDB's clients expect.
    /// </summary>
    OmitEmptyCollection = 4,
}
