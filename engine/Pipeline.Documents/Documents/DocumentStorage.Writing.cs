using Pipeline.Json;

namespace Pipeline.Documents;

public abstract partial class DocumentStorage
{
    /// <summary>Stores a document: makes it, or a new version of it.</summary>
    /// <param name="id">
    /// The id, 1 to 512 bytes of UTF-8 without control characters, the same in any case. Null takes the metadata's
    /// <c>@id</c> or else a new GUID. <c>orders/</c> asks for the next sortable id
    /// (<c>orders/0000000000000000001-A</c>), <c>orders|</c> for the next identity (<c>orders/1</c>).
    /// </param>
    /// <param name="utf8Json">
    /// The document, a JSON object. <c>@metadata.@collection</c> is its collection, by default <c>@empty</c>. The text
    /// is read before this returns.
    /// </param>
    /// <param name="expectedChangeVector">The version that must be there: null any, empty none.</param>
    /// <param name="ct">Stops waiting; the write may still be done.</param>
    /// <returns>The new version, once durable.</returns>
    /// <exception cref="JsonFormatException">The text is not a document.</exception>
    /// <exception cref="InvalidDocumentIdException">The id cannot be one.</exception>
    /// <exception cref="InvalidCollectionException">The collection cannot be one.</exception>
    /// <exception cref="ConcurrencyException">The current version is another one, or there is none.</exception>
    public Task<PutResult> PutAsync(
        string? id,
        ReadOnlyMemory<byte> utf8Json,
        string? expectedChangeVector = null,
        CancellationToken ct = default
    )
    {
        var draft = DocumentDraft.Parse(utf8Json.Span, Limits);
        return WriteAsync(transaction => transaction.Put(id, draft, expectedChangeVector), ct);
    }

    /// <summary>Deletes a document and leaves a tombstone in the change feed.</summary>
    /// <param name="id">The id, in any case.</param>
    /// <param name="expectedChangeVector">The version that must be there: null any, empty none.</param>
    /// <param name="ct">Stops waiting; the write may still be done.</param>
    /// <returns>Whether there was one, once durable.</returns>
    /// <exception cref="ConcurrencyException">The current version is another one, or there is none.</exception>
    public Task<bool> DeleteAsync(string id, string? expectedChangeVector = null, CancellationToken ct = default)
    {
        ArgumentNullException.ThrowIfNull(id);
        return WriteAsync(transaction => transaction.Delete(id, expectedChangeVector), ct);
    }
}
