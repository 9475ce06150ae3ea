namespace Pipeline.Documents;

public sealed partial class DocumentTransaction
{
    /// <summary>
    /// Gives a document an attachment, in place of one of that name. The document changes with it: its metadata lists
    /// its attachments.
    /// </summary>
    /// <param name="id">The document, in any case.</param>
    /// <param name="name">The name: 1 to 255 bytes of UTF-8 without control characters, the same in any case.</param>
    /// <param name="content">The content; see <see cref="DatabaseAttachments.StageAsync"/>.</param>
    /// <param name="contentType">The media type: ASCII without control characters.</param>
    /// <param name="expectedChangeVector">
    /// The version of the attachment that must be there: null any, empty none.
    /// </param>
    /// <returns>The attachment.</returns>
    /// <exception cref="AttachmentException">
    /// There is no such document, or a text is no name or no media type.
    /// </exception>
    /// <exception cref="ConcurrencyException">The stored version is another one, or there is none.</exception>
    public Attachment PutAttachment(
        string id,
        string name,
        StagedAttachment content,
        string? contentType = null,
        string? expectedChangeVector = null
    )
    {
        ArgumentNullException.ThrowIfNull(content);
        (var document, var key) = FindForAttachment(id, name);
        AttachmentKeys.CheckContentType(id, name, contentType ?? "");
        CheckExpected($"{id}/{name}", expectedChangeVector, AttachmentPosition(key));

        var before = Changes;
        try
        {
            // The new content is added first. If it equals the former one, the content must not be deleted in between.
            if (Contents.Add(content))
                return Attach(document, key, name, contentType ?? "", content.HashBytes, content.Size);
        }
        catch (Exception e) when (NoteError(e, before))
        {
            throw;
        }

        throw new AttachmentException(
            id,
            name,
            AttachmentProblem.Released,
            $"The content of the attachment '{name}' of '{id}' was dropped before it was stored: stage it again."
        );
    }

    /// <summary>Takes an attachment from its document, which changes with it.</summary>
    /// <param name="id">The document, in any case.</param>
    /// <param name="name">The attachment, in any case.</param>
    /// <param name="expectedChangeVector">
    /// The version of the attachment that must be there: null any, empty none.
    /// </param>
    /// <returns>Whether there was one.</returns>
    /// <exception cref="ConcurrencyException">The stored version is another one, or there is none.</exception>
    public bool DeleteAttachment(string id, string name, string? expectedChangeVector = null)
    {
        CheckOpen();
        ArgumentNullException.ThrowIfNull(name);
        if (!TryGet(id, out var document))
            return false;
        var key = AttachmentKeys.Of(DocumentKeys.LowerPrefix(id), name);
        CheckExpected($"{id}/{name}", expectedChangeVector, AttachmentPosition(key));
        var before = Changes;
        try
        {
            if (!Detach(key))
                return false;
            Touch(document);
            return true;
        }
        catch (Exception e) when (NoteError(e, before))
        {
            throw;
        }
    }

    /// <summary>
    /// Copies an attachment to another document, or to another name in the same document; the content is stored once.
    /// </summary>
    /// <param name="id">The document that has it.</param>
    /// <param name="name">The attachment.</param>
    /// <param name="toId">The document that is to have it.</param>
    /// <param name="toName">The name there; null for the same.</param>
    /// <param name="replaces">Whether an attachment that has the name there already is replaced.</param>
    /// <returns>The new attachment.</returns>
    /// <exception cref="ConcurrencyException">There is one already, and it is not to be replaced.</exception>
    /// <exception cref="AttachmentException">
    /// There is no such document or attachment, or the text is not a valid name.
    /// </exception>
    public Attachment CopyAttachment(string id, string name, string toId, string? toName = null, bool replaces = true)
    {
        (var document, var key) = FindForAttachment(toId, toName ?? name);
        if (!replaces)
            CheckExpected($"{toId}/{toName ?? name}", "", AttachmentPosition(key));
        FindForAttachment(id, name);
        if (
            !_transaction.TryOpenTree(DatabaseTrees.Attachments, out var tree)
            || !tree.TryGet(AttachmentKeys.Of(DocumentKeys.LowerPrefix(id), name), out var value)
        )
        {
            throw new AttachmentException(
                id,
                name,
                AttachmentProblem.NoAttachment,
                $"The document '{id}' has no attachment '{name}'."
            );
        }

        var record = new AttachmentRecord(value, _database.Name);
        var hash = record.Hash.ToArray();
        (var type, var size) = (record.ContentType, record.Size);
        var before = Changes;
        try
        {
            Contents.AddReference(hash);
            return Attach(document, key, toName ?? name, type, hash, size);
        }
        catch (Exception e) when (NoteError(e, before))
        {
            throw;
        }
    }

    /// <summary>
    /// The attachments of a document as this transaction sees them, in order of their names in lower case.
    /// </summary>
    /// <param name="id">The document, in any case.</param>
    /// <returns>The attachments; empty if the document does not exist.</returns>
    public IReadOnlyList<Attachment> GetAttachments(string id)
    {
        CheckOpen();
        ArgumentNullException.ThrowIfNull(id);
        return TryGet(id, out var document) ? ReadAttachments(DocumentKeys.LowerPrefix(id), document.Id) : [];
    }

    private (Document Document, byte[] Key) FindForAttachment(string id, string name)
    {
        CheckOpen();
        AttachmentKeys.CheckName(id, name);
        if (!TryGet(id, out var document))
        {
            throw new AttachmentException(
                id,
                name,
                AttachmentProblem.NoDocument,
                $"There is no document '{id}' that could have the attachment '{name}': store it first."
            );
        }

        return (document, AttachmentKeys.Of(DocumentKeys.LowerPrefix(id), name));
    }

    private long? AttachmentPosition(byte[] key) =>
        _transaction.TryOpenTree(DatabaseTrees.Attachments, out var tree) && tree.TryGet(key, out var value)
            ? new AttachmentRecord(value, _database.Name).Position
            : null;

    private Attachment Attach(
        Document document,
        byte[] key,
        string name,
        string contentType,
        ReadOnlySpan<byte> hash,
        long size
    )
    {
        Detach(key);
        var record = AttachmentRecord.ToBytes(LastPosition + 1, size, hash, contentType, name);
        _transaction.CreateTree(DatabaseTrees.Attachments).Put(key, record);
        Touch(document);
        return new AttachmentRecord(record, _database.Name).ToAttachment(document.Id, _database.IdText);
    }

    /// <summary>A new version of a document whose attachments have changed.</summary>
    private void Touch(Document document)
    {
        Span<byte> utf8Id = stackalloc byte[DocumentKeys.MaxIdBytes];
        utf8Id = utf8Id[..DocumentKeys.EncodeId(document.Id, utf8Id)];
        PutRecord(
            utf8Id,
            document.Id,
            CollectionNumber(document.Collection),
            document.Body.Data.Span,
            null,
            listsAttachments: true
        );
    }
}
