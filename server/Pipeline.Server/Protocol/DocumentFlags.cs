namespace Pipeline.Server.Protocol;

/// <summary>What <c>@flags</c> in a document's metadata tells clients; the names are the protocol's.</summary>
[Flags]
internal enum DocumentFlags
{
    /// <summary>Nothing.</summary>
    None = 0,

    /// <summary>It is a former version.</summary>
    Revision = 1,

    /// <summary>It has attachments.</summary>
    HasAttachments = 2,

    /// <summary>Its versions are kept.</summary>
    HasRevisions = 4,

    /// <summary>It is the version that says that the document was deleted.</summary>
    DeleteRevision = 8,
}
