namespace Pipeline.Indexing;

/// <summary>
/// One criterion for sorting hits. Entries without a value come first, or last in descending order. Immutable.
/// </summary>
/// <param name="Descending">Whether the greatest come first.</param>
public abstract record SearchOrder(bool Descending)
{
    /// <summary>The best scores first.</summary>
    public static SearchOrder Score { get; } = new ScoreOrder();
}
