using System.Globalization;
using Pipeline.Backups.Manifests;

namespace Pipeline.Backups.Restoring;

/// <summary>The backups that lead to a point.</summary>
/// <param name="Chain">A full backup, then increments.</param>
/// <param name="Position">The position within the last backup at which to stop; null for its end.</param>
/// <param name="Time">The same as a time.</param>
public sealed record RestorePlan(IReadOnlyList<BackupManifest> Chain, long? Position, DateTimeOffset? Time)
{
    /// <summary>The last transaction to apply; null if the position decides, or if there is no limit.</summary>
    internal long? Through { get; init; }

    /// <summary>Finds the backups.</summary>
    /// <exception cref="BackupException">
    /// No backups lead to the point; the message says which points can be reached.
    /// </exception>
    public static RestorePlan Create(IReadOnlyList<BackupManifest> all, RestorePoint point, string place)
    {
        ArgumentNullException.ThrowIfNull(point);
        if (point is { Position: not null, Time: not null })
            throw new BackupException("A position and a time cannot be combined; give one of them.");
        if (all.Count == 0)
            throw new BackupException($"{place}: there are no backups.");
        var last = point.Backup is null
            ? null
            : all.FirstOrDefault(m => m.Id == point.Backup)
                ?? throw new BackupException(
                    $"{place}: there is no backup '{point.Backup}'; the newest is {all[^1].Id}."
                );
        if (last is null && point is { Position: null, Time: null })
            last = all[^1];
        if (last is not null)
        {
            if (!TryChain(last, all, out var chain, out var missing))
                throw new BackupException($"{place}: {last.Id} needs {missing}, which is missing.");
            return Fits(chain, point)
                ? new RestorePlan(chain, point.Position, point.Time)
                : throw NotReached(place, [chain], point);
        }
        // Prefer the newest history, and in it the chain with the least to apply.
        var chains = new List<IReadOnlyList<BackupManifest>>();
        foreach (var backup in all.OrderByDescending(m => m.Ended))
        {
            if (TryChain(backup, all, out var chain, out _))
                chains.Add(chain);
        }

        var found = chains
            .Where(c => Fits(c, point))
            .GroupBy(c => c[0].Store)
            .FirstOrDefault()
            ?.OrderBy(c => c[^1].To.Transaction - c[0].To.Transaction)
            .ThenBy(c => c.Count)
            .First();
        return found is null
            ? throw NotReached(place, chains, point)
            : new RestorePlan(found, point.Position, point.Time);
    }

    /// <summary>Whether to apply a transaction of the increments.</summary>
    /// <remarks>
    /// For a time, <see cref="Through"/> decides. One commit's time cannot: times fall when the clock is set back.
    /// </remarks>
    internal bool Includes(Storage.LogState state) =>
        (Position is not { } most || state.Mark <= most) && (Through is not { } last || state.Transaction <= last);

    private static bool TryChain(
        BackupManifest last,
        IReadOnlyList<BackupManifest> all,
        out IReadOnlyList<BackupManifest> chain,
        out string? missing
    ) => BackupChain.TryOf(last, all, out chain, out missing);

    /// <summary>Whether the point lies between the ends of the full backup and of the last one.</summary>
    private static bool Fits(IReadOnlyList<BackupManifest> chain, RestorePoint point) =>
        (point.Position is not { } position || (chain[0].To.Position <= position && chain[^1].To.Position >= position))
        && (
            point.Time is not { } time
            || (chain[0].To.Time <= time && (chain[^1].To.Time >= time || chain[^1].Started >= time))
        );

    private static BackupException NotReached(
        string place,
        IReadOnlyList<IReadOnlyList<BackupManifest>> chains,
        RestorePoint point
    )
    {
        var wanted = point.Position is { } position ? $"position {position}" : $"{point.Time:u}";
        var reached = chains
            .GroupBy(c => c[0].Id)
            .Select(g => g.MaxBy(c => c.Count)!)
            .Reverse()
            .Take(8)
            .Select(c =>
                string.Create(
                    CultureInfo.InvariantCulture,
                    $"{c[0].To.Position} to {c[^1].To.Position} ({c[0].To.Time:u} to {c[^1].To.Time:u})"
                )
            );
        return new BackupException(
            $"{place}: no backup reaches {wanted}. Positions that can be restored: {string.Join("; ", reached)}."
        );
    }
}
