using System.Text.Json;
using Pipeline.Client.Documents;
using Pipeline.Client.Transport;

namespace Pipeline.Client.Bulk;

/// <summary>Makes documents of objects and hands them to the transport.</summary>
internal sealed class TypedBulkInsert(ClientContext store) : IBulkInsert
{
    private readonly IBulkWriter _writer = store.Transport.OpenBulk();
    private bool _isOver;

    public long Count { get; private set; }

    public async ValueTask<string> StoreAsync(
        object entity,
        string? id = null,
        CancellationToken cancellationToken = default
    )
    {
        ArgumentNullException.ThrowIfNull(entity);
        ObjectDisposedException.ThrowIf(_isOver, this);
        var model = store.ModelOf(entity.GetType());
        id ??= model.GetId(entity) ?? await store.MakeIdAsync(entity, model, cancellationToken).ConfigureAwait(false);
        model.SetId(entity, id);
        var json = DocumentMembers.WithMetadata(
            JsonSerializer.SerializeToUtf8Bytes(entity, model.Json),
            model.IdName,
            model.Metadata
        );
        Count++;
        await _writer.WriteAsync(id, json, cancellationToken).ConfigureAwait(false);
        return id;
    }

    public async Task<long> CompleteAsync(CancellationToken cancellationToken = default)
    {
        ObjectDisposedException.ThrowIf(_isOver, this);
        _isOver = true;
        await _writer.CompleteAsync(cancellationToken).ConfigureAwait(false);
        return Count;
    }

    public async ValueTask DisposeAsync()
    {
        try
        {
            if (!_isOver)
                await CompleteAsync().ConfigureAwait(false);
        }
        finally
        {
            await _writer.DisposeAsync().ConfigureAwait(false);
        }
    }
}
