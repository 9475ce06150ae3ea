using Pipeline.Client.Transport;

namespace Pipeline.Client.Sessions;

/// <summary>The attachments of a session's documents.</summary>
internal sealed class SessionAttachments(DocumentSession session) : ISessionAttachments
{
    public void Store(object entity, string name, Stream content, string? contentType = null)
    {
        var (id, unsaved) = session.DocumentOf(entity);
        Store(id, unsaved, name, content, contentType);
    }

    public void Store(string documentId, string name, Stream content, string? contentType = null)
    {
        ArgumentException.ThrowIfNullOrEmpty(documentId);
        Store(documentId, null, name, content, contentType);
    }

    public void Delete(object entity, string name)
    {
        var (id, unsaved) = session.DocumentOf(entity);
        Delete(id, unsaved, name);
    }

    public void Delete(string documentId, string name)
    {
        ArgumentException.ThrowIfNullOrEmpty(documentId);
        Delete(documentId, null, name);
    }

    public void Copy(string documentId, string name, string toDocumentId, string toName)
    {
        ArgumentException.ThrowIfNullOrEmpty(documentId);
        ArgumentException.ThrowIfNullOrEmpty(name);
        ArgumentException.ThrowIfNullOrEmpty(toDocumentId);
        ArgumentException.ThrowIfNullOrEmpty(toName);
        session.Add(new AttachmentCopy(documentId, name, toDocumentId, toName));
    }

    public void Move(string documentId, string name, string toDocumentId, string toName)
    {
        if (
            string.Equals(documentId, toDocumentId, StringComparison.OrdinalIgnoreCase)
            && string.Equals(name, toName, StringComparison.OrdinalIgnoreCase)
        )
        {
            throw new ArgumentException(
                $"the attachment '{name}' already has this name; the case of names does not matter",
                nameof(toName)
            );
        }

        Copy(documentId, name, toDocumentId, toName);
        Delete(documentId, name);
    }

    public async ValueTask<OpenedAttachment?> OpenAsync(
        string documentId,
        string name,
        CancellationToken cancellationToken = default
    )
    {
        ArgumentException.ThrowIfNullOrEmpty(documentId);
        ArgumentException.ThrowIfNullOrEmpty(name);
        var open = await session
            .Request()
            .OpenAttachmentAsync(documentId, name, cancellationToken)
            .ConfigureAwait(false);
        return open is null ? null : new OpenedAttachment(open.Info, open.Content, open.Owner);
    }

    public ValueTask<IReadOnlyList<AttachmentInfo>> ListAsync(
        string documentId,
        CancellationToken cancellationToken = default
    )
    {
        ArgumentException.ThrowIfNullOrEmpty(documentId);
        return session.Request().ListAttachmentsAsync(documentId, cancellationToken);
    }

    private void Store(string? id, object? entity, string name, Stream content, string? contentType)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        ArgumentNullException.ThrowIfNull(content);
        session.Add(new AttachmentPut(id, entity, name, content, contentType));
    }

    private void Delete(string? id, object? entity, string name)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        session.Add(new AttachmentDelete(id, entity, name));
    }
}
