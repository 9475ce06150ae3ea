namespace Pipeline.Client;

/// <summary>
/// Files of any kind that belong to documents. Changes are part of the session's next save; reads show the saved state.
/// A document's deletion deletes its attachments.
/// </summary>
public interface ISessionAttachments
{
    /// <summary>Has the next save store an attachment, in the place of one with the same name.</summary>
    /// <param name="entity">The object of the document; the session knows it.</param>
    /// <param name="name">The name, at most 255 bytes in UTF-8; case does not matter.</param>
    /// <param name="content">The content from its current position. The save reads it; it stays the caller's.</param>
    /// <param name="contentType">The media type.</param>
    /// <exception cref="InvalidOperationException">The session does not know the object.</exception>
    void Store(object entity, string name, Stream content, string? contentType = null);

    /// <summary>Has the next save store an attachment of the document with an id.</summary>
    void Store(string documentId, string name, Stream content, string? contentType = null);

    /// <summary>Has the next save delete an attachment; it is no error if there is none.</summary>
    /// <exception cref="InvalidOperationException">The session does not know the object.</exception>
    void Delete(object entity, string name);

    /// <summary>Has the next save delete an attachment of the document with an id.</summary>
    void Delete(string documentId, string name);

    /// <summary>
    /// Has the next save copy an attachment, to the same document or another one. The save fails if the new name is
    /// taken.
    /// </summary>
    void Copy(string documentId, string name, string toDocumentId, string toName);

    /// <summary>
    /// Has the next save move an attachment, to the same document or another one. The save fails if the new name is
    /// taken.
    /// </summary>
    /// <exception cref="ArgumentException">Both names are the same; their case does not matter.</exception>
    void Move(string documentId, string name, string toDocumentId, string toName);

    /// <summary>Opens an attachment.</summary>
    /// <returns>The attachment, to be disposed; <see langword="null"/> if there is none.</returns>
    ValueTask<OpenedAttachment?> OpenAsync(
        string documentId,
        string name,
        CancellationToken cancellationToken = default
    );

    /// <summary>
    /// The attachments of a document, in the order of their names; none if there is no such document.
    /// </summary>
    ValueTask<IReadOnlyList<AttachmentInfo>> ListAsync(
        string documentId,
        CancellationToken cancellationToken = default
    );
}

/// <summary>An attachment that is open for reading. For one thread at a time.</summary>
public sealed class OpenedAttachment : IAsyncDisposable
{
    private readonly IDisposable _owner;

    internal OpenedAttachment(AttachmentInfo info, Stream content, IDisposable owner) =>
        (Info, Content, _owner) = (info, content, owner);

    /// <summary>Name, type, hash and size.</summary>
    public AttachmentInfo Info { get; }

    /// <summary>The content.</summary>
    public Stream Content { get; }

    /// <summary>Closes the content.</summary>
    public async ValueTask DisposeAsync()
    {
        await Content.DisposeAsync().ConfigureAwait(false);
        _owner.Dispose();
    }
}
