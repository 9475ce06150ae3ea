namespace Pipeline.Indexing;

/// <summary>
/// Entries with a term that matches a pattern as a whole, with the score 1 unless <see cref="Scored"/>. <c>*</c> stands
/// for any characters or none,
/// <c>?</c> for exactly one; <c>\</c> makes the next character literal. The search for terms starts at the literal
/// beginning of the pattern.
/// </summary>
/// <param name="Field">The field's name.</param>
/// <param name="Pattern">The pattern.</param>
public sealed record WildcardQuery(string Field, string Pattern) : Query
{
    /// <summary>
    /// Whether each term that is found is scored by BM25; the number of terms is then limited by
    /// <c>SearchOptions.MaxScoredExpansions</c>.
    /// </summary>
    public bool Scored { get; init; }
}
