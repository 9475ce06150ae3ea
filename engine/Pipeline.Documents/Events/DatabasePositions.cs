using Pipeline.Storage;

namespace Pipeline.Documents.Events;

/// <summary>Documents and events take their positions from one count.</summary>
internal static class DatabasePositions
{
    /// <summary>The last position given; 0 before the first.</summary>
    internal static long Last(Transaction transaction) =>
        Math.Max(
            transaction.TryOpenTree(DatabaseTrees.Documents, out var documents)
                ? DocumentTransaction.ReadLastPosition(documents)
                : 0,
            transaction.TryOpenTree(DatabaseTrees.EventPositions, out var events)
                ? EventReading.LastPosition(events)
                : 0
        );
}
