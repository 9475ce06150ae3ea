using System.Diagnostics.CodeAnalysis;
using Pipeline.Database.Queries.Catalog;
using Pipeline.Database.Queries.Demands;
using Pipeline.Documents;

namespace Pipeline.Database.Indexes;

/// <content>Opening indexes for queries.</content>
public sealed partial class DatabaseIndexes : IIndexCatalog
{
    private static readonly ChangeLimits FirstChange = new(1, 1);

    /// <summary>Opens an index as of now.</summary>
    /// <exception cref="IndexNotFoundException">There is none of the name.</exception>
    public IOpenIndex Open(string name) => TryOpen(name, out var open) ? open : throw NotFound(name);

    /// <summary>Opens an index as of now, if there is one of the name.</summary>
    public bool TryOpen(string name, [NotNullWhen(true)] out IOpenIndex? open) => TryOpen(name, null, out open);

    private bool TryOpen(string name, bool? waited, [NotNullWhen(true)] out IOpenIndex? open)
    {
        ArgumentNullException.ThrowIfNull(name);
        open = null;
        while (!_closed && _slots.TryGetValue(name, out var slot))
        {
            var current = slot.Current;
            if (!current.TryAcquire())
                continue;
            Volatile.Write(ref slot.LastQueried, _options.TimeProvider.GetUtcNow().UtcTicks);
            try
            {
                open = new OpenIndex(current) { WaitSucceeded = waited };
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
    /// <exception cref="IndexNotFoundException">The demand names an index, and there is none of the name.</exception>
    /// <exception cref="IndexFailedException">The index is in error.</exception>
    public async ValueTask<IOpenIndex> OpenAsync(
        IndexDemand demand,
        IndexWait? wait,
        CancellationToken cancellationToken
    )
    {
        ArgumentNullException.ThrowIfNull(demand);
        if (demand.IndexName is { } name)
        {
            // A follower may show a position before its indexes match the definitions of it.
            if (_database.IsReplica && !_slots.ContainsKey(name))
                await WhenFollowedAsync().WaitAsync(cancellationToken).ConfigureAwait(false);
            return await OpenAsync(name, isNew: false, wait, cancellationToken).ConfigureAwait(false);
        }

        var wanted = AutoIndexDefinition.Of(demand);
        while (true)
        {
            (name, var isNew) = await UseAutomaticAsync(wanted, cancellationToken).ConfigureAwait(false);
            // A query that joins an automatic index before its first batch waits as long as the query that created it.
            isNew |= _slots.TryGetValue(name, out var slot) && slot.Current.Position == 0;
            try
            {
                return await OpenAsync(name, isNew, wait, cancellationToken).ConfigureAwait(false);
            }
            catch (IndexNotFoundException) when (!_closed)
            {
                // A wider index replaced the one that was chosen, or it was deleted: choose again.
            }
        }
    }

    private async ValueTask<IOpenIndex> OpenAsync(
        string name,
        bool isNew,
        IndexWait? wait,
        CancellationToken cancellationToken
    )
    {
        var timeout =
            wait is null || wait.Timeout <= TimeSpan.Zero
                ? isNew
                    ? _indexing.NewIndexWait
                    : TimeSpan.Zero
                : wait.Timeout;
        bool? waited = null;
        if (timeout > TimeSpan.Zero)
        {
            var slot = Find(name);
            var position = wait?.Position ?? _database.LastPosition;
            waited =
                Shows(slot.Current, position)
                || (
                    IsKeptUp(slot) && await WaitAsync(name, position, timeout, cancellationToken).ConfigureAwait(false)
                );
        }

        if (Find(name).Current.Failure is { } failure)
            throw new IndexFailedException(name, failure);
        return TryOpen(name, waited, out var open) ? open : throw NotFound(name);
    }

    /// <summary>Whether waiting makes sense: an index that is disabled does not move.</summary>
    private bool IsKeptUp(IndexSlot slot) => _indexing.Enabled && !slot.Entry.Disabled;

    /// <summary>
    /// Whether an index has every change of its collections up to a position. It need not have passed the changes of
    /// other collections. The feed holds only the last version of a document, so a change after the position may hide
    /// one before it.
    /// </summary>
    private bool Shows(IndexInstance index, long position)
    {
        if (index.Position >= position)
            return true;
        if (position > _database.LastPosition || !index.TryAcquire())
            return false;
        try
        {
            using var snapshot = _database.OpenSnapshot("query");
            using var next = snapshot.ReadChanges(index.Position, index.Filter, FirstChange);
            return next.Count == 0;
        }
        finally
        {
            index.Release();
        }
    }

    private IndexNotFoundException NotFound(string name) => new(name, _slots.Values.Select(s => s.Name));
}
