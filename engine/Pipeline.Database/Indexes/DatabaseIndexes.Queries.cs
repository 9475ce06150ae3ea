using System.Diagnostics.CodeAnalysis;
using Pipeline.Database.Queries.Catalog;
using Pipeline.Database.Queries.Demands;

namespace Pipeline.Database.Indexes;

/// <content>Opening indexes for queries.</content>
public sealed partial class DatabaseIndexes : IIndexCatalog
{
    /// <summary>Opens an index as of now.</summary>
    /// <exception cref="IndexNotFoundException">There is none of the name.</exception>
    public IOpenIndex Open(string name) => TryOpen(name, out IOpenIndex? open) ? open : throw NotFound(name);

    /// <summary>Opens an index as of now, if there is one of the name.</summary>
    public bool TryOpen(string name, [NotNullWhen(true)] out IOpenIndex? open)
    {
        ArgumentNullException.ThrowIfNull(name);
        open = null;
        while (!_closed && _slots.TryGetValue(name, out IndexSlot? slot))
        {
            IndexInstance current = slot.Current;
            if (!current.TryAcquire()) continue;
            Volatile.Write(ref slot.LastQueried, _options.TimeProvider.GetUtcNow().UtcTicks);
            try
            {
                open = new OpenIndex(current);
                return true;
            }
            catch
            {
                current.Release();
                throw;
            }
        }

        return false;
    }

    /// <inheritdoc/>
    /// <exception cref="IndexFailedException">The index is in error.</exception>
    public async ValueTask<IOpenIndex> OpenAsync(IndexDemand demand, IndexWait? wait, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(demand);
        string? name = demand.IndexName;
        bool isNew = false;
        if (name is null) (name, isNew) = await UseAutomaticAsync(AutoIndexDefinition.Of(demand), cancellationToken).ConfigureAwait(false);
        if (wait is not null || isNew)
        {
            await WaitAsync(name, wait?.Position, wait?.Timeout ?? _options.Indexing.NewIndexWait, cancellationToken).ConfigureAwait(false);
        }

        return Find(name).Current.Failure is { } failure ? throw new IndexFailedException(name, failure) : Open(name);
    }

    private IndexNotFoundException NotFound(string name) => new(name, _slots.Values.Select(s => s.Name));
}
