using Pipeline.Storage;

namespace Pipeline.Documents;

public abstract partial class DocumentStorage
{
    private byte[]? _seenLineages;

    /// <summary>
    /// Begins a lineage, durably: something outside remembers changes of this database that it does not have. Changes
    /// from the position on get other message ids, and every ETL task waits for a person's decision.
    /// </summary>
    /// <param name="known">
    /// The lineages at the time of that finding; if another lineage has begun since, nothing is done.
    /// </param>
    /// <param name="first">The first position that something else may have been given to.</param>
    /// <param name="reason">Why.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    public async Task BeginLineageAsync(
        DatabaseLineages known,
        long first,
        string reason,
        CancellationToken cancellationToken = default
    )
    {
        ArgumentNullException.ThrowIfNull(known);
        if (!ReferenceEquals(known, Lineages))
            return;
        var next = known.With(NewLineage(first, reason));
        var raised = await Storage
            .WriteAsync(
                transaction =>
                {
                    // Two tasks may find it at once.
                    var meta = transaction.CreateTree(DatabaseTrees.Meta);
                    if (
                        meta.TryGet(DatabaseLineages.Key, out var stored)
                        && DatabaseLineages.Parse(Name, stored.ToArray()).All.Count != known.All.Count
                    )
                    {
                        return null;
                    }

                    meta.Put(DatabaseLineages.Key, next.ToBytes());
                    return GivenNumbers.Raise(this, transaction);
                },
                cancellationToken
            )
            .ConfigureAwait(false);
        if (raised is null)
            return;
        if (IsReplica)
            Refresh();
        else
            Lineages = next;
        Durable(raised);
    }

    /// <summary>
    /// Uses the lineages of an accepted state. A replica begins none when it is opened: its store's life is its own, and
    /// the log tells which changes it has.
    /// </summary>
    private void RefreshLineages(Transaction accepted)
    {
        if (
            !accepted.TryOpenTree(DatabaseTrees.Meta, out var meta) || !meta.TryGet(DatabaseLineages.Key, out var value)
        )
        {
            return;
        }

        if (_seenLineages is not null && value.SequenceEqual(_seenLineages))
            return;
        _seenLineages = value.ToArray();
        Lineages = DatabaseLineages.Parse(Name, _seenLineages);
    }

    /// <summary>
    /// Reads the lineages, and begins one where the store is not the one that the database was closed in.
    /// </summary>
    private void LoadLineages()
    {
        byte[]? stored;
        using (var transaction = Storage.BeginRead("lineages"))
        {
            stored =
                transaction.TryOpenTree(DatabaseTrees.Meta, out var meta)
                && meta.TryGet(DatabaseLineages.Key, out var value)
                    ? value.ToArray()
                    : null;
        }

        Lineages = stored is null ? DatabaseLineages.Initial : DatabaseLineages.Parse(Name, stored);
        if (Lineages.Life == Storage.Life)
            return;

        // A store that no life is known of was last opened by an older program, which keeps none.
        var isSame = Storage.Origin == StoreOrigin.Unknown || (stored is null && Storage.Origin == StoreOrigin.Created);
        var next = (
            isSame
                ? Lineages
                : Lineages.With(NewLineage(LastPosition + 1, ReasonOf(Storage.Origin)) with { IsOfOpening = true })
        ).OfLife(Storage.Life);
        var raised = Storage
            .WriteAsync(t =>
            {
                t.CreateTree(DatabaseTrees.Meta).Put(DatabaseLineages.Key, next.ToBytes());
                return isSame ? null : GivenNumbers.Raise(this, t);
            })
            .GetAwaiter()
            .GetResult();
        Lineages = next;
        if (raised is not null)
            Durable(raised);
    }

    private DatabaseLineage NewLineage(long first, string reason) =>
        new(Convert.ToHexStringLower(NewGuid().ToByteArray().AsSpan(8)), first, UtcNow, reason);

    private static string ReasonOf(StoreOrigin origin) =>
        origin switch
        {
            StoreOrigin.Restored => "the database was restored from a backup",
            StoreOrigin.Copied => "the database's folder is a copy",
            StoreOrigin.PutBack => "an older copy was put back over the database's folder",
            _ => "the database was rebuilt",
        };
}
