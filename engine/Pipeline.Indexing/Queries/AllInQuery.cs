namespace Pipeline.Indexing;

/// <summary>Entries that hold each of many terms in a field, with the score 1.</summary>
/// <param name="Field">The field's name.</param>
/// <param name="Terms">The terms, in any order; repeats do no harm; none at all matches every entry.</param>
public sealed record AllInQuery(string Field, IReadOnlyList<ReadOnlyMemory<byte>> Terms) : Query;
