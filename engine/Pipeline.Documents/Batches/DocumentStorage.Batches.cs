namespace Pipeline.Documents;

public abstract partial class DocumentStorage
{
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

    /// <summary>Begins to store many documents; see <see cref="BulkInsert"/>.</summary>
    /// <param name="options">How to group them; null for the defaults.</param>
    /// <returns>The bulk insert, to be completed and disposed.</returns>
    public BulkInsert BeginBulkInsert(BulkInsertOptions? options = null)
    {
        CheckOpen();
        return new BulkInsert(this, options ?? new BulkInsertOptions());
    }
}
