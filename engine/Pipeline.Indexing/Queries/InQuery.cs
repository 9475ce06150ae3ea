namespace Pipeline.Indexing;

/// <summary>
/// Entries that hold at least one of many terms in a field, with the score 1. Any number of terms: they are put
/// together in a bitmap.
/// </summary>
/// <param name="Field">The field's name.</param>
/// <param name="Terms">The terms, in any order; repeats do no harm; none at all matches nothing.</param>
public sealed record InQuery(string Field, IReadOnlyList<ReadOnlyMemory<byte>> Terms) : Query;
