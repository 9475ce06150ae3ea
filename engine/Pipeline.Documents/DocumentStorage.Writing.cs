using System.Diagnostics;
using Pipeline.Json;

namespace Pipeline.Documents;

public partial class DocumentStorage
{
    private readonly WriteLoad _writeLoad = new();

    /// <summary>Writes in progress.</summary>
    internal int PendingWrites => _writeLoad.Pending;

    /// <summary>Completes at a moment when no write is in progress.</summary>
    internal Task WritesDrained() => _writeLoad.DrainedAsync();

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

    /// <summary>Does all commands of a batch, in order, or none of them.</summary>
    /// <param name="batch">The commands; not to be changed until this is done.</param>
    /// <param name="ct">Stops waiting; the write may still be done.</param>
    /// <returns>The result of each command, in the same order, once durable.</returns>
    /// <exception cref="ConcurrencyException">
    /// A document or attachment was not in the version expected; nothing was done.
    /// </exception>
    /// <exception cref="CompareExchangeException">
    /// A compare-exchange value did not have the index expected; nothing was done.
    /// </exception>
    /// <exception cref="AttachmentException">
    /// An attachment's document does not exist, or its name is invalid; nothing was done.
    /// </exception>
    public Task<IReadOnlyList<CommandResult>> ExecuteAsync(DocumentBatch batch, CancellationToken ct = default)
    {
        ArgumentNullException.ThrowIfNull(batch);
        return WriteAsync(batch.Execute, ct);
    }

    /// <summary>Writes documents and private state in one commit.</summary>
    /// <typeparam name="T">The type of the function's result.</typeparam>
    /// <param name="operation">
    /// Runs on the committing thread, in turn with others, so it should be short; it may be run again, so it must have
    /// no effect but through the transaction. An error that leaves it undoes all it did and is thrown here.
    /// </param>
    /// <param name="ct">Stops waiting; the write may still be done.</param>
    /// <returns>The function's result, once durable.</returns>
    /// <exception cref="Pipeline.Storage.NotLeaderException">
    /// The database is a replica and another node leads, which the error names.
    /// </exception>
    public Task<T> WriteAsync<T>(Func<DocumentTransaction, T> operation, CancellationToken ct = default) =>
        IsReplica ? WriteAtLeaderAsync(operation, ct) : WriteHereAsync(operation, ct);

    private async Task<T> WriteHereAsync<T>(Func<DocumentTransaction, T> operation, CancellationToken ct)
    {
        ArgumentNullException.ThrowIfNull(operation);
        CheckOpen();
        DocumentTransaction? done = null;

        // The committing thread has no part in the caller's trace.
        var trace =
            KeepsTraces && Activity.Current is { IdFormat: ActivityIdFormat.W3C, Id: { } current } ? current : null;
        using var pending = _writeLoad.Begin();
        var result = await Storage
            .WriteAsync(
                storage =>
                {
                    var transaction = new DocumentTransaction(this, storage) { Trace = trace };
                    try
                    {
                        var given = operation(transaction);
                        done = transaction;
                        return given;
                    }
                    finally
                    {
                        transaction.End();
                    }
                },
                ct
            )
            .ConfigureAwait(false);
        Durable(done!);
        return result;
    }

    /// <summary>Writes documents and private state in one commit.</summary>
    /// <param name="operation">As in <see cref="WriteAsync{T}"/>.</param>
    /// <param name="ct">Stops waiting; the write may still be done.</param>
    /// <returns>Done once durable.</returns>
    public Task WriteAsync(Action<DocumentTransaction> operation, CancellationToken ct = default)
    {
        ArgumentNullException.ThrowIfNull(operation);
        return WriteAsync(
            transaction =>
            {
                operation(transaction);
                return true;
            },
            ct
        );
    }

    /// <summary>Begins to store many documents; see <see cref="BulkInsert"/>.</summary>
    /// <param name="options">How to group them; null for the defaults.</param>
    /// <returns>The bulk insert, to be completed and disposed.</returns>
    public BulkInsert BeginBulkInsert(BulkInsertOptions? options = null)
    {
        CheckOpen();
        return new BulkInsert(this, options ?? new BulkInsertOptions());
    }

    private void Durable(DocumentTransaction transaction)
    {
        foreach ((var spelling, var number, var name) in transaction.NewCollections)
            Collections.Add(spelling, number, name);
        Advance(transaction.LastPosition);
    }
}
