using Pipeline.Storage;

namespace Pipeline.Cluster;

/// <summary>
/// Keeps in the replicated store a place in the log from which that store can continue. The leader writes it before
/// each backup, so a restored store knows its own place in the log.
/// </summary>
/// <remarks>
/// The place belongs to a state before the transaction that stores it. So a store that has this transaction misses no
/// entry when it reads from there; it skips the entries that it already has.
/// </remarks>
internal static class BackupPosition
{
    /// <summary>The tree: one key → the position.</summary>
    public const string Tree = "log-backup";

    private static ReadOnlySpan<byte> Key => "position"u8;

    /// <summary>Stores a position. Only the leader can do this.</summary>
    /// <exception cref="NotLeaderException">This node does not lead.</exception>
    /// <exception cref="NotAcceptedException">The log does not have it, or it is unknown whether it does.</exception>
    public static Task KeepAsync(StorageEnvironment store, ReadPosition position, CancellationToken ct = default) =>
        store.WriteAsync(
            transaction =>
            {
                Span<byte> value = stackalloc byte[ReadPosition.Bytes];
                value.Clear();
                position.Write(value);
                return transaction.CreateTree(Tree).Put(Key, value);
            },
            ct
        );

    /// <summary>Finds the position of the backup that a store was restored from.</summary>
    /// <param name="options">The store, which is not open.</param>
    /// <returns>
    /// The position; null if the store has a <see cref="PositionFile"/>, or was never backed up as part of a cluster.
    /// </returns>
    /// <exception cref="StorageException">The store cannot be opened.</exception>
    public static ReadPosition? Find(StorageOptions options)
    {
        var (files, path) = (StoreFolder.FilesOf(options), options.Path!);
        if (
            !files.Exists(Path.Combine(path, StoreFolder.DataName))
            || files.Exists(Path.Combine(path, PositionFile.Name))
        )
        {
            return null;
        }
        using var store = StorageEnvironment.Open(options with { IsReplica = true, KeepsLife = false });
        using var snapshot = store.BeginRead("restored position");
        return
            snapshot.TryOpenTree(Tree, out var tree)
            && tree.TryGet(Key, out var value)
            && value.Length is ReadPosition.Bytes or ReadPosition.BytesWithoutOrigin
            ? ReadPosition.Read(value)
            : null;
    }

    /// <summary>Makes a store continue from a position that <see cref="Find"/> returned.</summary>
    public static void Adopt(StorageOptions options, in ReadPosition position)
    {
        using var file = PositionFile.Open(StoreFolder.FilesOf(options), options.Path!);
        file.Save(position);
    }
}
