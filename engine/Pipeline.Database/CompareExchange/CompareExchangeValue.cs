using Pipeline.Database.Json;

namespace Pipeline.Database;

/// <summary>A value that is replaced only by who knows its index: for locks, reservations and unique names across documents. Immutable.</summary>
/// <param name="Key">The key, as it was written; the same in any case.</param>
/// <param name="Index">The number of its last change, counted over all keys.</param>
/// <param name="Value">Any JSON.</param>
public sealed record CompareExchangeValue(string Key, long Index, BinaryJson Value);
