using System.Buffers.Binary;

namespace Pipeline.Documents;

public sealed partial class DocumentTransaction
{
    /// <summary>Records the due actions with their times, and the feed position up to which they were read.</summary>
    internal void NoteDue(IReadOnlyList<DueDocument> found, long through)
    {
        var tree = _transaction.CreateTree(DatabaseTrees.DueDocuments);
        foreach (var due in found)
            tree.Put(due.Key(), System.Text.Encoding.UTF8.GetBytes(due.Id));
        BinaryPrimitives.WriteInt64LittleEndian(tree.Reserve(DatabaseExpiration.ReadThroughKey, 8), through);
    }

    /// <summary>
    /// Performs the due actions on versions that are still current. Replaced versions are skipped: the newer ones have
    /// separate times, or none.
    /// </summary>
    /// <returns>The number of documents acted on.</returns>
    internal int DoDue(IReadOnlyList<DueDocument> some)
    {
        var tree = _transaction.CreateTree(DatabaseTrees.DueDocuments);
        var done = 0;
        foreach (var due in some)
        {
            tree.Delete(due.Key());
            if (!TryGet(due.Id, out var document) || document.Position != due.Position)
                continue;
            if (due.Kind == DueKind.Expires)
            {
                Delete(due.Id);
            }
            else
            {
                Put(
                    document.Id,
                    document.Collection,
                    MetadataProperty.Set(document.Body, "@refresh"u8, default),
                    listsAttachments: false
                );
            }

            done++;
        }

        return done;
    }
}
