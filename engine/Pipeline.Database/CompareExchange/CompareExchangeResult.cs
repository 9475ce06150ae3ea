namespace Pipeline.Database;

/// <summary>What a compare-exchange did.</summary>
/// <param name="Successful">Whether it was done; if not, the index was another than expected and nothing has changed.</param>
/// <param name="Index">The index that holds now; 0 where there is no value.</param>
/// <param name="Current">What is there now; for a deletion that was done, what was there.</param>
public sealed record CompareExchangeResult(bool Successful, long Index, CompareExchangeValue? Current);
