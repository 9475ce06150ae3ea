namespace Pipeline.Indexing;

/// <summary>Order by score.</summary>
/// <param name="Descending">Whether the best come first.</param>
public sealed record ScoreOrder(bool Descending = true) : SearchOrder(Descending);
