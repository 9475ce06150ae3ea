namespace Pipeline.Documents;

/// <summary>The outcome of a patch.</summary>
public enum PatchStatus
{
    /// <summary>The document does not exist, and the patch has no action for that.</summary>
    DocumentDoesNotExist,

    /// <summary>The document was made.</summary>
    Created,

    /// <summary>The document was changed.</summary>
    Patched,

    /// <summary>The document has another version than the expected one.</summary>
    Skipped,

    /// <summary>The script did not change the document.</summary>
    NotModified,
}
