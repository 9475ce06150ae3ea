namespace Pipeline.Backups.Manifests;

/// <summary>A full backup and the increments that continue it.</summary>
public static class BackupChain
{
    /// <summary>
    /// Finds the backups that one needs, the full one first and itself last; false if one is missing or does not fit.
    /// </summary>
    /// <param name="backup">The backup.</param>
    /// <param name="all">The existing backups.</param>
    /// <param name="chain">The chain.</param>
    /// <param name="missing">What is missing.</param>
    public static bool TryOf(
        BackupManifest backup,
        IEnumerable<BackupManifest> all,
        out IReadOnlyList<BackupManifest> chain,
        out string? missing
    )
    {
        ArgumentNullException.ThrowIfNull(backup);
        var byId = all.ToDictionary(m => m.Id, StringComparer.Ordinal);
        var found = new List<BackupManifest> { backup };
        missing = null;
        for (var at = backup; at.Kind == BackupKind.Incremental; at = found[^1])
        {
            if (!byId.TryGetValue(at.Parent ?? "", out var parent))
            {
                missing = at.Parent ?? "a backup before it";
            }
            else if (
                !AreOfOneHistory(parent, at)
                || parent.To.Transaction != at.From.Transaction
                || parent.To.Chain != at.From.Chain
                || found.Count > byId.Count
            )
            {
                missing =
                    $"another {parent.Id}: that one ends with transaction {parent.To.Transaction} of another history";
            }

            if (missing is not null)
            {
                chain = [];
                return false;
            }
            found.Add(parent!);
        }
        found.Reverse();
        chain = found;
        return true;
    }

    /// <summary>
    /// Whether a backup can continue another: both are of one store, or both name the same transaction of a cluster.
    /// </summary>
    private static bool AreOfOneHistory(BackupManifest parent, BackupManifest next) =>
        next.FromEntry is null ? parent.Store == next.Store : parent.ToEntry == next.FromEntry;
}
