using Pipeline.Json;

namespace Pipeline.Documents;

/// <summary>
/// A value that can be replaced only with its current index: for locks, reservations and unique names across documents.
/// Immutable.
/// </summary>
/// <param name="Key">The key in its original case; compared without case.</param>
/// <param name="Index">The number of its last change, counted over all keys.</param>
/// <param name="Value">Any JSON.</param>
public sealed record CompareExchangeValue(string Key, long Index, BinaryJson Value)
{
    /// <summary>
    /// The part that queries and scripts see: clients store their value in the property <c>Object</c> of an object.
    /// </summary>
    internal BinaryValue Content =>
        Value.Root.Kind == JsonKind.Object && Value.Root.TryGetProperty("Object"u8, out var kept) ? kept : Value.Root;
}

/// <summary>The result of a compare-exchange.</summary>
/// <param name="Successful">
/// Whether it was done. If not, the index was not the expected one and nothing has changed.
/// </param>
/// <param name="Index">The current index; 0 if there is no value.</param>
/// <param name="Current">The current value; after a successful deletion, the deleted value.</param>
public sealed record CompareExchangeResult(bool Successful, long Index, CompareExchangeValue? Current);
