using Pipeline.Json;

namespace Pipeline.Documents;

/// <summary>
/// Puts and deletes that are done in order and all or not at all. Not thread-safe; may be executed again.
/// </summary>
public sealed class DocumentBatch
{
    internal List<Command> Commands { get; } = [];

    /// <summary>
    /// The character between the name and the number in generated ids: <see cref="DocumentTransaction.IdSeparator"/>.
    /// </summary>
    public char IdSeparator { get; set; } = '/';

    /// <summary>How many commands.</summary>
    public int Count => Commands.Count;

    /// <summary>Adds a put; see <see cref="DocumentStorage.PutAsync"/>. The text is parsed at once.</summary>
    /// <param name="id">The id; null, <c>prefix/</c> or <c>prefix|</c> to have one made.</param>
    /// <param name="utf8Json">The document.</param>
    /// <param name="expectedChangeVector">The version that must be there: null any, empty none.</param>
    /// <returns>Itself.</returns>
    /// <exception cref="JsonFormatException">The text is not a document.</exception>
    public DocumentBatch Put(string? id, ReadOnlySpan<byte> utf8Json, string? expectedChangeVector = null) =>
        Put(id, DocumentDraft.Parse(utf8Json), expectedChangeVector);

    /// <summary>Adds a put.</summary>
    /// <param name="id">The id; null, <c>prefix/</c> or <c>prefix|</c> to have one made.</param>
    /// <param name="document">The document.</param>
    /// <param name="expectedChangeVector">The version that must be there: null any, empty none.</param>
    /// <param name="keepsFormer">
    /// Whether the version that it replaces is kept in any case; see
    /// <see cref="DocumentTransaction.Put(string?, DocumentDraft, string?, bool)"/>.
    /// </param>
    /// <returns>Itself.</returns>
    public DocumentBatch Put(
        string? id,
        DocumentDraft document,
        string? expectedChangeVector = null,
        bool keepsFormer = false
    )
    {
        ArgumentNullException.ThrowIfNull(document);
        Commands.Add(new Command(id, document, expectedChangeVector, KeepsFormer: keepsFormer));
        return this;
    }

    /// <summary>Adds a delete. A missing document is no error.</summary>
    /// <param name="id">The id.</param>
    /// <param name="expectedChangeVector">The version that must be there: null any, empty none.</param>
    /// <returns>Itself.</returns>
    public DocumentBatch Delete(string id, string? expectedChangeVector = null)
    {
        ArgumentNullException.ThrowIfNull(id);
        Commands.Add(new Command(id, null, expectedChangeVector));
        return this;
    }

    /// <summary>Adds the put of an attachment; see <see cref="DocumentTransaction.PutAttachment"/>.</summary>
    /// <param name="id">The document, which may be one that the batch puts before.</param>
    /// <param name="name">The name.</param>
    /// <param name="content">The content, not to be disposed of before the batch is done.</param>
    /// <param name="contentType">The media type.</param>
    /// <param name="expectedChangeVector">
    /// The version of the attachment that must be there: null any, empty none.
    /// </param>
    /// <returns>Itself.</returns>
    public DocumentBatch PutAttachment(
        string id,
        string name,
        StagedAttachment content,
        string? contentType = null,
        string? expectedChangeVector = null
    ) =>
        Add(
            id,
            t => new CommandResult(id, null, false)
            {
                Attachment = t.PutAttachment(id, name, content, contentType, expectedChangeVector),
                DocumentChangeVector = VersionOf(t, id),
            }
        );

    /// <summary>Adds the deletion of an attachment. A missing attachment is no error.</summary>
    /// <param name="id">The document.</param>
    /// <param name="name">The attachment.</param>
    /// <param name="expectedChangeVector">
    /// The version of the attachment that must be there: null any, empty none.
    /// </param>
    /// <returns>Itself.</returns>
    public DocumentBatch DeleteAttachment(string id, string name, string? expectedChangeVector = null) =>
        Add(
            id,
            t => new CommandResult(id, null, t.DeleteAttachment(id, name, expectedChangeVector))
            {
                DocumentChangeVector = VersionOf(t, id),
            }
        );

    /// <summary>
    /// Adds the copy, or move, of an attachment; see <see cref="DocumentTransaction.CopyAttachment"/>.
    /// </summary>
    /// <param name="id">The document that has it.</param>
    /// <param name="name">The attachment.</param>
    /// <param name="toId">The document that is to have it.</param>
    /// <param name="toName">The name there.</param>
    /// <param name="moves">Whether it is taken from the first document.</param>
    /// <param name="replaces">Whether an attachment that has the name there already is replaced.</param>
    /// <returns>Itself.</returns>
    public DocumentBatch CopyAttachment(
        string id,
        string name,
        string toId,
        string toName,
        bool moves = false,
        bool replaces = true
    ) =>
        Add(
            id,
            t =>
            {
                var made = t.CopyAttachment(id, name, toId, toName, replaces);
                var isItself =
                    string.Equals(id, toId, StringComparison.OrdinalIgnoreCase)
                    && string.Equals(name, toName, StringComparison.OrdinalIgnoreCase);
                return new CommandResult(toId, null, moves && !isItself && t.DeleteAttachment(id, name))
                {
                    Attachment = made,
                    DocumentChangeVector = VersionOf(t, toId),
                };
            }
        );

    /// <summary>
    /// Adds a compare-exchange; the batch fails with a <see cref="CompareExchangeException"/> where the index is
    /// another.
    /// </summary>
    /// <param name="key">The key.</param>
    /// <param name="value">The value; null deletes it.</param>
    /// <param name="expectedIndex">The index that it must have; 0: there must be none.</param>
    /// <returns>Itself.</returns>
    public DocumentBatch CompareExchange(string key, Json.BinaryJson? value, long expectedIndex) =>
        Add(
            key,
            t =>
            {
                var result = value is { } set
                    ? t.PutCompareExchange(key, set, expectedIndex)
                    : t.DeleteCompareExchange(key, expectedIndex);
                if (!result.Successful)
                    throw new CompareExchangeException(key, expectedIndex, result.Index);
                return new CommandResult(key, null, value is null) { CompareExchange = result };
            }
        );

    /// <summary>
    /// Adds that a version is kept; see <see cref="DocumentTransaction.KeepRevision"/>. <see cref="CommandResult.Put"/>
    /// is null where nothing had to be done.
    /// </summary>
    /// <param name="id">The document.</param>
    /// <returns>Itself.</returns>
    public DocumentBatch KeepRevision(string id) =>
        Add(
            id,
            t =>
            {
                var kept = t.KeepRevision(id);
                return new CommandResult(kept?.Id ?? id, kept, false);
            }
        );

    /// <summary>Adds a patch; see <see cref="DocumentTransaction.Patch"/>.</summary>
    /// <param name="id">The document.</param>
    /// <param name="patch">The script.</param>
    /// <param name="expectedChangeVector">The version that must be there: null any, empty none.</param>
    /// <returns>Itself.</returns>
    public DocumentBatch Patch(string id, DocumentPatch patch, string? expectedChangeVector = null) =>
        Add(id, t => new CommandResult(id, null, false) { Patch = t.Patch(id, patch, expectedChangeVector) });

    /// <summary>
    /// Does all commands, in order, within a transaction. After an error between them the transaction commits nothing,
    /// even if its function catches the error.
    /// </summary>
    /// <param name="transaction">The transaction.</param>
    /// <returns>What each command did, in the same order.</returns>
    public IReadOnlyList<CommandResult> Execute(DocumentTransaction transaction)
    {
        ArgumentNullException.ThrowIfNull(transaction);
        var results = new CommandResult[Commands.Count];
        var separator = transaction.IdSeparator;
        transaction.IdSeparator = IdSeparator;
        var before = transaction.Changes;
        try
        {
            for (var i = 0; i < results.Length; i++)
                results[i] = Execute(transaction, Commands[i]);
            return results;
        }
        catch (Exception e) when (transaction.NoteError(e, before))
        {
            throw;
        }
        finally
        {
            transaction.IdSeparator = separator;
        }
    }

    private static string? VersionOf(DocumentTransaction transaction, string id) =>
        transaction.TryGet(id, out var document) ? document.ChangeVector : null;

    private static CommandResult Execute(DocumentTransaction transaction, in Command command)
    {
        if (command.Other is { } other)
            return other(transaction);
        if (command.Document is null)
            return new CommandResult(command.Id!, null, transaction.Delete(command.Id!, command.Expected));
        var put = transaction.Put(command.Id, command.Document, command.Expected, command.KeepsFormer);
        return new CommandResult(put.Id, put, false);
    }

    private DocumentBatch Add(string id, Func<DocumentTransaction, CommandResult> other)
    {
        ArgumentNullException.ThrowIfNull(id);
        Commands.Add(new Command(id, null, null, other));
        return this;
    }

    internal readonly record struct Command(
        string? Id,
        DocumentDraft? Document,
        string? Expected,
        Func<DocumentTransaction, CommandResult>? Other = null,
        bool KeepsFormer = false
    );
}
