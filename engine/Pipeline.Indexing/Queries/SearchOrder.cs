namespace Pipeline.Indexing;

/// <summary>One of the things by which hits are put in order. Entries without a value come first, or last where it is descending. Immutable.</summary>
/// <param name="Descending">Whether the greatest come first.</param>
public abstract record SearchOrder(bool Descending)
{
    /// <summary>The best scores first.</summary>
    public static SearchOrder Score { get; } = new ScoreOrder();
}
