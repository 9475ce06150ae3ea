namespace Pipeline.Indexing;

/// <summary>An entry that a query has found.</summary>
/// <param name="Entry">The entry's number.</param>
/// <param name="Score">Its score, where the order asks for one; else 0.</param>
public readonly record struct Hit(int Entry, float Score);
