namespace Pipeline.Documents;

/// <summary>The action on a document at its time; the first byte of the keys of tree <c>due-documents</c>.</summary>
internal enum DueKind : byte
{
    /// <summary>It is deleted.</summary>
    Expires = 1,

    /// <summary>It is stored again without the time.</summary>
    Refresh = 2,
}
