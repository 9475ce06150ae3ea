namespace Pipeline.Database;

/// <summary>What a patch did.</summary>
public enum PatchStatus
{
    /// <summary>There is no such document, and nothing says what to do then.</summary>
    DocumentDoesNotExist,

    /// <summary>The document was made.</summary>
    Created,

    /// <summary>The document was changed.</summary>
    Patched,

    /// <summary>The document has another version than the expected one.</summary>
    Skipped,

    /// <summary>The script left the document as it was.</summary>
    NotModified,
}
