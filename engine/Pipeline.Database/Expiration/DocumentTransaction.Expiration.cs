using System.Buffers.Binary;
using Pipeline.Storage;

namespace Pipeline.Database;

public sealed partial class DocumentTransaction
{
    /// <summary>Notes what is to be done when, and up to which position the feed was read for it.</summary>
    internal void NoteDue(IReadOnlyList<DueDocument> found, long through)
    {
        Tree tree = _transaction.CreateTree(DatabaseTrees.DueDocuments);
        foreach (DueDocument due in found) tree.Put(due.Key(), System.Text.Encoding.UTF8.GetBytes(due.Id));
        BinaryPrimitives.WriteInt64LittleEndian(tree.Reserve(DatabaseExpiration.ReadThroughKey, 8), through);
    }

    /// <summary>Does what is due with versions that are still the documents' last ones; those that were replaced have times of their own, or none.</summary>
    /// <returns>With how many.</returns>
    internal int DoDue(IReadOnlyList<DueDocument> some)
    {
        Tree tree = _transaction.CreateTree(DatabaseTrees.DueDocuments);
        int done = 0;
        foreach (DueDocument due in some)
        {
            tree.Delete(due.Key());
            if (!TryGet(due.Id, out Document? document) || document.Position != due.Position) continue;
            if (due.Kind == DueKind.Expires) Delete(due.Id);
            else Put(document.Id, document.Collection, MetadataProperty.Set(document.Body, "@refresh"u8, default), listsAttachments: false);
            done++;
        }

        return done;
    }
}
