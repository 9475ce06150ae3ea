namespace Pipeline.Documents;

/// <summary>The kind of a change in the feed.</summary>
public enum ChangeKind
{
    /// <summary>The document has this new version.</summary>
    Put = 0,

    /// <summary>The document was deleted.</summary>
    Delete,

    /// <summary>
    /// The document left this collection for another, in which it goes on. Seen only by who names the collections to follow
    /// and asks for deletes.
    /// </summary>
    Leave,
}
