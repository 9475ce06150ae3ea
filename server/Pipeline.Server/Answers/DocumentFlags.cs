namespace Pipeline.Server.Answers;

/// <summary>The <c>@flags</c> in a document's metadata; the names are the protocol's.</summary>
[Flags]
internal enum DocumentFlags
{
    /// <summary>No flags.</summary>
    None = 0,

    /// <summary>It is a former version.</summary>
    Revision = 1,

    /// <summary>It has attachments.</summary>
    HasAttachments = 2,

    /// <summary>Versions of it are kept.</summary>
    HasRevisions = 4,

    /// <summary>It is the version that records the deletion.</summary>
    DeleteRevision = 8,
}
