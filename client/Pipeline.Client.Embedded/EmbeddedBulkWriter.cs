using Pipeline.Client.Transport;
using Pipeline.Documents;

namespace Pipeline.Client;

/// <summary>A bulk insert of a database in this process.</summary>
internal sealed class EmbeddedBulkWriter(BulkInsert insert) : IBulkWriter
{
    public async ValueTask WriteAsync(string id, ReadOnlyMemory<byte> json, CancellationToken cancellationToken)
    {
        try
        {
            await insert.StoreAsync(id, json, cancellationToken).ConfigureAwait(false);
        }
        catch (Exception e) when (IsFailure(e))
        {
            throw new BulkInsertException(e.Message, e);
        }
    }

    public async Task CompleteAsync(CancellationToken cancellationToken)
    {
        try
        {
            await insert.CompleteAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (Exception e) when (IsFailure(e))
        {
            throw new BulkInsertException(e.Message, e);
        }
    }

    public ValueTask DisposeAsync() => insert.DisposeAsync();

    private static bool IsFailure(Exception e) => e is not (OperationCanceledException or ObjectDisposedException);
}
