namespace Pipeline.Indexing;

/// <summary>The entries of a query; each score is multiplied by a number stored with the entry.</summary>
/// <param name="Inner">The query.</param>
/// <param name="Field">
/// The field with the numbers. The first one that was added to an entry as a double counts, 1 if there is none; it is
/// finite and 0 or more.
/// </param>
public sealed record EntryBoostQuery(Query Inner, string Field) : Query;
