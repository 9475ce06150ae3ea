using Pipeline.Backups.Chunks;
using Pipeline.Backups.Destinations;
using Pipeline.Backups.Manifests;
using Pipeline.Storage;

namespace Pipeline.Backups.Running;

/// <content>Which backup a run continues, and from where it reads the journal.</content>
public sealed partial class BackupRunner
{
    private const string First = "it is the first one";

    private string HoldName(IBackupDestination destination) => HoldName(Definition.Name, destination.Description);

    /// <summary>The name of the journal hold for a backup at a destination.</summary>
    internal static string HoldName(string name, string destination) => $"{HoldPrefix}{name}/{destination}";

    /// <summary>The name of the journal hold for a backup that each node of a cluster can continue.</summary>
    internal static string SharedHoldName(string name) => $"{HoldPrefix}{name}/cluster";

    /// <summary>Finds the newest backup of this history, if the journal after it is kept; or why there is none.</summary>
    private (BackupManifest? Parent, string Reason) FindParent(
        BackupRepository repository,
        IReadOnlyList<BackupManifest> all
    )
    {
        var newest = all.Where(m => m.Store == _database.Storage.StoreId).MaxBy(m => m.To.Transaction);
        if (newest is null)
        {
            return (
                null,
                all.Count == 0
                    ? First
                    : "the backups there are of another database, or of this one before it was restored"
            );
        }
        if (!BackupChain.TryOf(newest, all, out _, out var missing))
            return (null, $"{newest.Id} needs {missing}, which is missing");
        var hold = _database.Storage.LogHolds.FirstOrDefault(h => h.Name == HoldName(repository.Destination));
        if (
            hold is null
            || hold.Position.Transaction > newest.To.Transaction
            || newest.To.Transaction > _database.Storage.LastCommittedTransaction
        )
        {
            return (
                null,
                hold is null
                    ? $"the journal behind {newest.Id} was not kept"
                    : $"the journal does not continue from transaction {newest.To.Transaction}, where {newest.Id} ends"
            );
        }
        return (newest, "");
    }

    /// <summary>
    /// Finds the newest backup that this node's journal continues, whichever node of the cluster made it; or why there is
    /// none.
    /// </summary>
    private async Task<(BackupManifest? Parent, string Reason)> FindSharedParentAsync(
        IReadOnlyList<BackupManifest> all,
        CancellationToken ct
    )
    {
        if (all.Count == 0)
            return (null, First);
        var newest = all[^1];
        if (SharedHold() is not { } held)
            return (null, $"this node has not kept its journal behind {newest.Id}");
        IReadOnlyList<BackupManifest> found;
        try
        {
            found = await Task.Run(() => JournalProof.Find(_database.Storage, held, all, ct), ct).ConfigureAwait(false);
        }
        catch (LogUnavailableException e)
        {
            return (null, $"this node's journal behind {newest.Id} cannot be read: {e.Message}");
        }
        string? missing = null;
        foreach (var backup in found)
        {
            if (BackupChain.TryOf(backup, all, out _, out missing))
                return (backup, "");
        }
        var reason =
            missing is not null ? $"{found[^1].Id} needs {missing}, which is missing"
            : newest.ToEntry is null ? $"{newest.Id} does not tell a node of a cluster where it ends"
            : newest.To.Transaction <= held.Transaction
                ? $"this node's journal begins with transaction {held.Transaction + 1}, after transaction {newest.To.Transaction}, where {newest.Id} ends"
            : $"transaction {newest.To.Transaction}, where {newest.Id} ends, is another one in this node's journal";
        return (null, reason);
    }

    private LogPosition? SharedHold()
    {
        var name = SharedHoldName(Definition.Name);
        return _database.Storage.LogHolds.FirstOrDefault(h => h.Name == name)?.Position;
    }

    private BackupBase BaseOf(BackupManifest parent) => new(parent.To, _options.IsShared ? parent.ToEntry : null);

    /// <summary>
    /// The store whose checksum the end of a backup has, that end, and the hash of its last transaction in a cluster.
    /// </summary>
    private (Guid Store, LogState To, string? Entry) EndOf(
        BackupTarget target,
        BackupContent content,
        CancellationToken ct
    )
    {
        var own = _database.Storage.StoreId;
        if (!_options.IsShared)
            return (own, content.To, null);
        // An increment without a transaction ends with the very one of its parent.
        if (target.Parent is { } parent && content.Transactions == 0)
            return (parent.Store, content.To with { Chain = parent.To.Chain }, parent.ToEntry);
        return (
            own,
            content.To,
            content.Entry
                ?? (
                    SharedHold() is { } held
                        ? JournalProof.TryHash(_database.Storage, held, content.To.Transaction, ct)
                        : null
                )
        );
    }

    /// <summary>
    /// Finds the backup that another node made of the same scheduled run while this one was made: a node that was cut off
    /// may not know yet that it is to make none.
    /// </summary>
    private static async Task<BackupManifest?> FindMadeAsync(BackupTarget target, string run, CancellationToken ct)
    {
        await foreach (
            var entry in target.Repository.Destination.ListAsync(ObjectNames.Manifests, ct).ConfigureAwait(false)
        )
        {
            if (
                ObjectNames.ManifestOf(entry.Name) is { } id
                && !target.Ids.Contains(id)
                && await target.Repository.FindAsync(id, ct).ConfigureAwait(false) is { } found
                && found.Run == run
            )
            {
                return found;
            }
        }
        return null;
    }

    private DestinationReport Repeated(string destination, string run, BackupManifest made)
    {
        BackupLog.MadeBefore(_logger, Definition.Name, run, made.Id, destination);
        return new DestinationReport(destination, made, null);
    }

    private LogPosition Hold(BackupTarget target)
    {
        var name = _options.IsShared ? SharedHoldName(Definition.Name) : HoldName(target.Repository.Destination);
        return _database.Storage.LogHolds.FirstOrDefault(h => h.Name == name)?.Position
            ?? throw new BackupException(
                $"the journal behind {target.Parent!.Id} is no longer kept. Run the backup again: it will be full."
            );
    }
}
