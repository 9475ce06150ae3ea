namespace Pipeline.Storage;

/// <summary>A place in a store's journal: behind the entry of one transaction.</summary>
/// <param name="Transaction">The transaction; what follows it is read from here.</param>
/// <param name="File">The number of the journal file.</param>
/// <param name="Offset">The offset there, behind the transaction's entry.</param>
/// <param name="Chain">
/// The checksum of that entry. Two stores that agree in transaction and checksum have the same past.
/// </param>
public readonly record struct LogPosition(long Transaction, long File, long Offset, uint Chain)
{
    internal static LogPosition Of(StoreState state) =>
        new(state.TransactionId, state.Journal.File, state.Journal.Offset, state.Journal.Chain);
}
