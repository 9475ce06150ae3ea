namespace Pipeline.Database;

/// <summary>What one command of a <see cref="DocumentBatch"/> did.</summary>
/// <param name="Id">The document; of a compare-exchange, the key.</param>
/// <param name="Put">What a put made; null for other commands.</param>
/// <param name="Deleted">Whether a deletion, of a document or an attachment, found one.</param>
public sealed record CommandResult(string Id, PutResult? Put, bool Deleted)
{
    /// <summary>The attachment that was put, copied or moved; null for other commands.</summary>
    public Attachment? Attachment { get; init; }

    /// <summary>The attachment that was deleted, by name; null for other commands.</summary>
    public string? AttachmentName { get; init; }

    /// <summary>What a compare-exchange did; null for other commands.</summary>
    public CompareExchangeResult? CompareExchange { get; init; }
}
