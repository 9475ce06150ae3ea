using Pipeline.Storage;

namespace Pipeline.Documents;

/// <summary>Reads of attachments that a snapshot and a write transaction do alike.</summary>
internal static class AttachmentReading
{
    /// <summary>
    /// The attachments of the document that has this id in lower case, in order of their names in lower case.
    /// </summary>
    internal static List<Attachment> Read(
        DocumentStorage database,
        Transaction transaction,
        ReadOnlySpan<byte> idKey,
        string id
    )
    {
        var found = new List<Attachment>();
        if (!transaction.TryOpenTree(DatabaseTrees.Attachments, out var tree))
            return found;
        using var cursor = tree.OpenCursor();
        for (
            var any = cursor.Seek(AttachmentKeys.Of(idKey, ""));
            any && AttachmentKeys.IsOf(cursor.Key, idKey);
            any = cursor.MoveNext()
        )
        {
            found.Add(new AttachmentRecord(cursor.Value, database.Name).ToAttachment(id, database.IdText));
        }

        return found;
    }
}
