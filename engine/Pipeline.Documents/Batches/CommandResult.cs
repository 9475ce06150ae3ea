namespace Pipeline.Documents;

/// <summary>The result of one command of a <see cref="DocumentBatch"/>.</summary>
/// <param name="Id">The document; of a compare-exchange, the key.</param>
/// <param name="Put">The result of a put; null for other commands.</param>
/// <param name="Deleted">Whether a deletion, of a document or an attachment, found one.</param>
public sealed record CommandResult(string Id, PutResult? Put, bool Deleted)
{
    /// <summary>The attachment that was put, copied or moved; null for other commands.</summary>
    public Attachment? Attachment { get; init; }

    /// <summary>
    /// The version of the document after an attachment was put, copied, moved or deleted; null for other commands, and
    /// if there is no document.
    /// </summary>
    public string? DocumentChangeVector { get; init; }

    /// <summary>The result of a compare-exchange; null for other commands.</summary>
    public CompareExchangeResult? CompareExchange { get; init; }

    /// <summary>The result of a patch; null for other commands.</summary>
    public PatchResult? Patch { get; init; }
}
