using System.Diagnostics;

namespace Pipeline.Documents;

public abstract partial class DocumentStorage
{
    private readonly WriteLoad _writeLoad = new();

    /// <summary>Writes in progress.</summary>
    internal int PendingWrites => _writeLoad.Pending;

    /// <summary>Completes at a moment when no write is in progress.</summary>
    internal Task WritesDrained() => _writeLoad.DrainedAsync();

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

    private async Task<T> WriteAtLeaderAsync<T>(Func<DocumentTransaction, T> operation, CancellationToken ct)
    {
        await ReadyToWriteAsync(ct).ConfigureAwait(false);
        return await WriteHereAsync(operation, ct).ConfigureAwait(false);
    }

    private void Durable(DocumentTransaction transaction)
    {
        foreach ((var spelling, var number, var name) in transaction.NewCollections)
            Collections.Add(spelling, number, name);
        Advance(transaction.LastPosition);
    }
}
