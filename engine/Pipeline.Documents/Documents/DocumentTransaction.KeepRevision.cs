using System.Text;
using Pipeline.Json;

namespace Pipeline.Documents;

public sealed partial class DocumentTransaction
{
    /// <summary>
    /// Keeps a document's current version, even if its collection keeps no versions. The document is stored once more,
    /// as a new version of the same content. Does nothing if the collection keeps versions anyway, or if the document
    /// has not changed since this was last done.
    /// </summary>
    /// <param name="id">The id, in any case.</param>
    /// <returns>The new version; null if nothing was done.</returns>
    /// <exception cref="InvalidOperationException">There is no such document.</exception>
    public PutResult? KeepRevision(string id)
    {
        CheckOpen();
        if (!TryGet(id, out var document))
            throw NothingToKeep(id);
        if (_database.Revisions.Configuration.Find(document.Collection) is { Enabled: true })
            return null;
        var key = DocumentKeys.LowerPrefix(document.Id);
        if (IsKept(key, document.Position))
            return null;
        var position = PutRecord(
            Encoding.UTF8.GetBytes(document.Id),
            document.Id,
            CollectionNumber(document.Collection),
            document.Body.Data.Span,
            null,
            listsAttachments: false,
            keepsFormer: true
        );
        return new PutResult(
            document.Id,
            document.Collection,
            position,
            MetadataRules.ChangeVectorOf(position, _database.IdText),
            new DateTimeOffset(_ticks, TimeSpan.Zero)
        );
    }
}
