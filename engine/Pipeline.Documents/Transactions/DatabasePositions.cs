using Pipeline.Storage;

namespace Pipeline.Documents;

/// <summary>Documents and events take their positions from one count.</summary>
internal static class DatabasePositions
{
    /// <summary>The last position given; 0 before the first.</summary>
    internal static long Last(Transaction transaction) =>
        Math.Max(
            transaction.TryOpenTree(DatabaseTrees.Documents, out var documents) ? LastIn(documents) : 0,
            transaction.TryOpenTree(DatabaseTrees.EventPositions, out var events) ? LastIn(events) : 0
        );

    /// <summary>The last position in a tree whose keys are positions; 0 if it is empty.</summary>
    internal static long LastIn(Tree positions)
    {
        using var cursor = positions.OpenCursor();
        return cursor.SeekLast() ? DocumentKeys.ReadPosition(cursor.Key) : 0;
    }
}
