namespace Pipeline.Documents;

public sealed partial class DocumentTransaction
{
    private AttachmentContents Contents => new(_transaction, _database.Name);

    /// <summary>Removes all attachments of a document that is deleted.</summary>
    private void DetachAll(ReadOnlySpan<byte> idKey, string id)
    {
        foreach (var attachment in ReadAttachments(idKey, id))
            Detach(AttachmentKeys.Of(idKey, attachment.Name));
    }

    private List<Attachment> ReadAttachments(ReadOnlySpan<byte> idKey, string id) =>
        AttachmentReading.Read(_database, _transaction, idKey, id);

    private bool Detach(byte[] key)
    {
        if (!_transaction.TryOpenTree(DatabaseTrees.Attachments, out _))
            return false;
        var tree = _transaction.CreateTree(DatabaseTrees.Attachments);
        if (!tree.TryGet(key, out var value))
            return false;
        var hash = new AttachmentRecord(value, _database.Name).Hash.ToArray();
        tree.Delete(key);
        Contents.Release(hash);
        return true;
    }
}
