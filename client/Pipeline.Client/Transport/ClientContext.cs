using System.Collections.Concurrent;
using Pipeline.Client.Conventions;

namespace Pipeline.Client.Transport;

/// <summary>What all parts of a store share: the connection and the conventions. Thread-safe.</summary>
internal sealed class ClientContext(IDocumentTransport transport, DocumentStoreOptions options)
{
    private readonly ConcurrentDictionary<Type, DocumentModel> _models = new();
    private readonly IdNumbers _numbers = new(transport);

    public IDocumentTransport Transport { get; } = transport;

    /// <summary>How classes become documents.</summary>
    public DocumentStoreOptions Options { get; } = options;

    /// <summary>The model of a class's documents.</summary>
    public DocumentModel ModelOf(Type type) =>
        _models.TryGetValue(type, out var known) ? known : _models.GetOrAdd(type, DocumentModel.Of(type, Options));

    /// <summary>Makes an id by the store's convention.</summary>
    public async ValueTask<string> MakeIdAsync(
        object entity,
        DocumentModel model,
        CancellationToken cancellationToken
    ) =>
        Options.MakeId?.Invoke(entity) is { Length: > 0 } made
            ? made
            : await _numbers.NextAsync(model.Collection, cancellationToken).ConfigureAwait(false);
}
