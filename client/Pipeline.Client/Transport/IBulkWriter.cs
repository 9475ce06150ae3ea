namespace Pipeline.Client.Transport;

/// <summary>Sends documents to a database in one stream. One caller at a time.</summary>
internal interface IBulkWriter : IAsyncDisposable
{
    /// <summary>Sends a document. Waits while the database is behind.</summary>
    /// <param name="id">The id.</param>
    /// <param name="json">The document with its metadata in UTF-8.</param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <exception cref="BulkInsertException">Earlier documents could not be stored.</exception>
    ValueTask WriteAsync(string id, ReadOnlyMemory<byte> json, CancellationToken cancellationToken);

    /// <summary>Waits until all documents are durable.</summary>
    /// <exception cref="BulkInsertException">Some documents could not be stored.</exception>
    Task CompleteAsync(CancellationToken cancellationToken);
}
