namespace Pipeline.Documents;

/// <summary>The kind of a change in the feed.</summary>
public enum ChangeKind
{
    /// <summary>The document has this new version.</summary>
    Put = 0,

    /// <summary>The document was deleted.</summary>
    Delete,

    /// <summary>
    /// The document moved from this collection to another. Seen only by consumers that name the collections to follow
    /// and asks for deletes.
    /// </summary>
    Leave,
}
