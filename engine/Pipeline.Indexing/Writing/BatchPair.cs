namespace Pipeline.Indexing;

/// <summary>An entry of a batch and a number that belongs to it.</summary>
internal readonly record struct BatchPair(int Entry, int Value);
