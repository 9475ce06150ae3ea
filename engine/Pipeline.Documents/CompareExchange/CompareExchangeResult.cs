namespace Pipeline.Documents;

/// <summary>The result of a compare-exchange.</summary>
/// <param name="Successful">
/// Whether it was done. If not, the index was not the expected one and nothing has changed.
/// </param>
/// <param name="Index">The current index; 0 if there is no value.</param>
/// <param name="Current">The current value; after a successful deletion, the deleted value.</param>
public sealed record CompareExchangeResult(bool Successful, long Index, CompareExchangeValue? Current);
