using System.Security.Cryptography;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using Pipeline.Storage;

namespace Pipeline.Documents;

/// <summary>
/// Files of any kind that belong to documents. They are found by document and name, stored once for each content, and
/// read and written as streams in bounded memory. Thread-safe.
/// </summary>
/// <remarks>
/// Adding or removing an attachment changes its document, whose metadata lists them (<c>@attachments</c>), so the
/// change feed reports it. Deleting a document deletes its attachments. Kept versions of a document still list their
/// attachments; contents are kept only for current versions.
/// </remarks>
public sealed class DatabaseAttachments
{
    private readonly DocumentStorage _database;
    private readonly long _most;
    private readonly ILogger _logger;

    internal DatabaseAttachments(DocumentStorage database, long most, ILoggerFactory? loggers)
    {
        _database = database;
        _most = most;
        _logger = loggers?.CreateLogger("Pipeline.Database.Attachments") ?? NullLogger.Instance;
    }

    /// <summary>Removes unfinished uploads of an earlier process.</summary>
    internal void Load()
    {
        using (var read = _database.Storage.BeginRead())
        {
            if (!read.TryOpenTree(DatabaseTrees.AttachmentUploads, out var uploads) || uploads.Count == 0)
                return;
        }

        _database
            .Storage.WriteAsync(transaction => new AttachmentContents(transaction, _database.Name).DropUploads())
            .GetAwaiter()
            .GetResult();
    }

    /// <summary>Gives a document an attachment; see <see cref="DocumentTransaction.PutAttachment"/>.</summary>
    /// <param name="id">The document.</param>
    /// <param name="name">The name.</param>
    /// <param name="content">The content, read to its end.</param>
    /// <param name="contentType">The media type; stored unchanged.</param>
    /// <param name="expectedChangeVector">
    /// The version of the attachment that must be there: null any, empty none.
    /// </param>
    /// <param name="ct">Stops it.</param>
    /// <returns>The attachment, once durable.</returns>
    /// <exception cref="AttachmentException">
    /// There is no such document, the text is not a valid name, or the content is too large.
    /// </exception>
    /// <exception cref="ConcurrencyException">The current version is another one, or there is none.</exception>
    public async Task<Attachment> PutAsync(
        string id,
        string name,
        Stream content,
        string? contentType = null,
        string? expectedChangeVector = null,
        CancellationToken ct = default
    )
    {
        AttachmentKeys.CheckName(id, name);
        var staged = await StageAsync(content, ct).ConfigureAwait(false);
        await using var given = staged.ConfigureAwait(false);
        return await _database
            .WriteAsync(
                transaction => transaction.PutAttachment(id, name, staged, contentType, expectedChangeVector),
                ct
            )
            .ConfigureAwait(false);
    }

    /// <summary>Takes an attachment from its document.</summary>
    /// <param name="id">The document.</param>
    /// <param name="name">The attachment.</param>
    /// <param name="expectedChangeVector">
    /// The version of the attachment that must be there: null any, empty none.
    /// </param>
    /// <param name="ct">Stops waiting; the write may still be done.</param>
    /// <returns>Whether there was one, once durable.</returns>
    public Task<bool> DeleteAsync(
        string id,
        string name,
        string? expectedChangeVector = null,
        CancellationToken ct = default
    ) => _database.WriteAsync(transaction => transaction.DeleteAttachment(id, name, expectedChangeVector), ct);

    /// <summary>Opens the current version of an attachment.</summary>
    /// <param name="id">The document, in any case.</param>
    /// <param name="name">The attachment, in any case.</param>
    /// <returns>Its properties and content, to be disposed; null if there is none.</returns>
    public AttachmentContent? Open(string id, string name)
    {
        var snapshot = _database.OpenSnapshot("attachment");
        try
        {
            if (snapshot.TryGetAttachment(id, name, out var attachment))
                return new AttachmentContent(snapshot, attachment, snapshot.OpenAttachment(attachment));
        }
        catch
        {
            snapshot.Dispose();
            throw;
        }

        snapshot.Dispose();
        return null;
    }

    /// <summary>Reads a content and gets it ready to become an attachment.</summary>
    /// <param name="content">The content, read from its current position to its end.</param>
    /// <param name="ct">Stops it; nothing is left then.</param>
    /// <returns>The content, to be disposed after use.</returns>
    /// <exception cref="AttachmentException">It has more bytes than are allowed.</exception>
    public async Task<StagedAttachment> StageAsync(Stream content, CancellationToken ct = default)
    {
        ArgumentNullException.ThrowIfNull(content);
        using var hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
        var buffer = new byte[AttachmentContents.PartBytes];
        long number = 0,
            size = 0;
        try
        {
            for (var part = 0; ; part++)
            {
                var length = await content
                    .ReadAtLeastAsync(buffer, buffer.Length, throwOnEndOfStream: false, ct)
                    .ConfigureAwait(false);
                size += length;
                if (size > _most)
                {
                    throw new AttachmentException(
                        "",
                        "",
                        AttachmentProblem.TooLarge,
                        $"The attachment has more than the {_most:N0} bytes allowed: keep it elsewhere, or raise the limit (MaxAttachmentBytes)."
                    );
                }

                hash.AppendData(buffer, 0, length);
                var ends = length < buffer.Length;
                if (ends && part == 0)
                {
                    // Many small ones may wait for their commit at once.
                    ReadOnlyMemory<byte> inline =
                        length > buffer.Length / 2 ? buffer.AsMemory(0, length) : buffer.AsSpan(0, length).ToArray();
                    return new StagedAttachment(null, 0, inline, hash.GetHashAndReset(), size);
                }

                if (length > 0)
                    number = await AddPartAsync(number, part, buffer.AsMemory(0, length), ct).ConfigureAwait(false);
                if (ends)
                    return new StagedAttachment(DropAsync, number, default, hash.GetHashAndReset(), size);
            }
        }
        catch when (number != 0)
        {
            await DropAsync(number).ConfigureAwait(false);
            throw;
        }
    }

    /// <summary>
    /// Removes an unused content. A failure is logged: the caller's result stands, and the next opening removes the
    /// content.
    /// </summary>
    private async Task DropAsync(long number)
    {
        try
        {
            await _database
                .Storage.WriteAsync(transaction =>
                    new AttachmentContents(transaction, _database.Name).DropUpload(number)
                )
                .ConfigureAwait(false);
        }
        catch (Exception e) when (e is StorageException or ObjectDisposedException)
        {
            AttachmentLog.NotDropped(_logger, _database.Name, number, e);
        }
    }

    private async Task<long> AddPartAsync(long number, int part, ReadOnlyMemory<byte> bytes, CancellationToken ct)
    {
        await _database.ReadyToWriteAsync(ct).ConfigureAwait(false);
        return await _database
            .Storage.WriteAsync(
                transaction =>
                {
                    var contents = new AttachmentContents(transaction, _database.Name);
                    var upload = number == 0 ? contents.BeginUpload() : number;
                    // Another leader may have dropped it since.
                    if (number != 0 && !contents.IsUpload(number))
                        throw _database.Storage.RefuseToLead(_database.Name);
                    contents.AddPart(upload, part, bytes.Span);
                    return upload;
                },
                ct
            )
            .ConfigureAwait(false);
    }
}

public abstract partial class DocumentStorage
{
    /// <summary>Files that belong to documents.</summary>
    public DatabaseAttachments Attachments { get; }
}
