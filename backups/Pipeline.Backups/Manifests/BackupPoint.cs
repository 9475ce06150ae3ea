using Pipeline.Storage;

namespace Pipeline.Backups.Manifests;

/// <summary>A point in a store's history.</summary>
/// <param name="Transaction">The store's transaction.</param>
/// <param name="Chain">The checksum of its journal entry: two histories that agree in both are the same.</param>
/// <param name="Position">The position of the last document change; -1 if unknown.</param>
/// <param name="Time">When the transaction was committed.</param>
public sealed record BackupPoint(long Transaction, uint Chain, long Position, DateTimeOffset Time)
{
    /// <summary>The point of a store's state.</summary>
    public static BackupPoint Of(LogState state, long position) =>
        new(state.Transaction, state.Chain, position, new DateTimeOffset(state.Ticks, TimeSpan.Zero));
}
