using System.Diagnostics.CodeAnalysis;

namespace Pipeline.Documents;

public sealed partial class DatabaseSnapshot
{
    /// <summary>Whether any document has one.</summary>
    internal bool HasAttachments => _transaction.TryOpenTree(DatabaseTrees.Attachments, out var tree) && tree.Count > 0;

    /// <summary>The attachments of a document, in order of their names in lower case.</summary>
    /// <param name="id">The document, in any case.</param>
    /// <returns>The attachments; none if the document does not exist.</returns>
    public IReadOnlyList<Attachment> GetAttachments(string id)
    {
        CheckOpen();
        ArgumentNullException.ThrowIfNull(id);
        return Find(id) is { } document
            ? AttachmentReading.Read(_database, _transaction, DocumentKeys.LowerPrefix(id), document.Id)
            : [];
    }

    /// <summary>Finds an attachment.</summary>
    /// <param name="id">The document, in any case.</param>
    /// <param name="name">The attachment, in any case.</param>
    /// <param name="attachment">Its properties.</param>
    /// <returns>Whether there is one.</returns>
    public bool TryGetAttachment(string id, string name, [NotNullWhen(true)] out Attachment? attachment)
    {
        ArgumentNullException.ThrowIfNull(name);
        attachment = null;
        if (Find(id) is not { } document || !_transaction.TryOpenTree(DatabaseTrees.Attachments, out var tree))
            return false;
        var key = AttachmentKeys.Of(DocumentKeys.LowerPrefix(id), name);
        if (key.Length > AttachmentKeys.MaxKeyBytes || !tree.TryGet(key, out var value))
            return false;
        attachment = new AttachmentRecord(value, _database.Name).ToAttachment(document.Id, _database.IdText);
        return true;
    }

    /// <summary>Opens the content of an attachment.</summary>
    /// <param name="attachment">The attachment, of this snapshot.</param>
    /// <returns>Its bytes, read on demand while the snapshot is open.</returns>
    public Stream OpenAttachment(Attachment attachment)
    {
        ArgumentNullException.ThrowIfNull(attachment);
        CheckOpen();
        if (
            !_transaction.TryOpenTree(DatabaseTrees.AttachmentContents, out var contents)
            || !contents.TryGet(Convert.FromBase64String(attachment.Hash), out var value)
        )
        {
            throw new DatabaseCorruptException(
                _database.Name,
                $"the content of the attachment '{attachment.Name}' of '{attachment.DocumentId}' is missing"
            );
        }

        var entry = ContentEntry.Read(value, _database.Name);
        return new AttachmentStream(
            _transaction,
            _transaction.TryOpenTree(DatabaseTrees.AttachmentParts, out var parts) ? parts : null,
            _database.Name,
            entry.Number,
            entry.Size
        );
    }
}
