using Pipeline.Json;

namespace Pipeline.Documents;

/// <summary>One change of the feed.</summary>
/// <param name="Position">Its place among all changes.</param>
/// <param name="Kind">The kind of change.</param>
/// <param name="Id">The document's id in its original case.</param>
/// <param name="Collection">The document's collection.</param>
/// <param name="LastModified">When it was written, by the database's clock.</param>
/// <param name="Body">
/// The document, in memory of the <see cref="ChangeBatch"/>: good until that is disposed. Empty unless put.
/// </param>
public readonly record struct Change(
    long Position,
    ChangeKind Kind,
    string Id,
    string Collection,
    DateTimeOffset LastModified,
    BinaryJson Body
)
{
    /// <summary>Whether the document was deleted, or left the collection.</summary>
    public bool IsDeleted => Kind != ChangeKind.Put;

    /// <summary>The user's metadata; no value if there is none.</summary>
    public BinaryValue Metadata => Body.Root.TryGetProperty("@metadata"u8, out var metadata) ? metadata : default;
}

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
