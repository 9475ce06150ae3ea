namespace Pipeline.Database.Queries.Language.Lucene;

/// <summary>A part of a text in Lucene's query syntax. Immutable.</summary>
/// <param name="Field">The field named before it, <c>field:…</c>; null if there is none.</param>
/// <param name="Boost">The factor for its score, <c>^2</c>; 1 by default.</param>
public abstract record LuceneNode(string? Field, double Boost);

/// <summary>Clauses joined.</summary>
/// <param name="Field">The field named before the parenthesis; null if there is none.</param>
/// <param name="Clauses">The clauses in order; at least one.</param>
/// <param name="Boost">The factor for its score.</param>
public sealed record LuceneBoolean(string? Field, IReadOnlyList<LuceneClause> Clauses, double Boost)
    : LuceneNode(Field, Boost);

/// <summary>A part of a <see cref="LuceneBoolean"/>.</summary>
/// <param name="Occurrence">Whether it must hold.</param>
/// <param name="Node">The clause's condition.</param>
public sealed record LuceneClause(LuceneOccurrence Occurrence, LuceneNode Node);

/// <summary>Whether a clause must hold.</summary>
public enum LuceneOccurrence
{
    /// <summary>
    /// The clause may match, and then adds to the score. If there is no required clause, at least one optional clause
    /// must match.
    /// </summary>
    Should,

    /// <summary>The clause must match.</summary>
    Must,

    /// <summary>It must not.</summary>
    MustNot,
}

/// <summary>One word or pattern.</summary>
/// <param name="Field">The field named before it; null if there is none.</param>
/// <param name="Text">The word or pattern.</param>
/// <param name="Kind">How it is meant.</param>
/// <param name="Fuzziness">
/// Of a fuzzy term: the number behind <c>~</c>, a similarity below 1 or a distance from 1 up; null if there is none.
/// </param>
/// <param name="Boost">The factor for its score.</param>
public sealed record LuceneTerm(string? Field, string Text, LuceneTermKind Kind, double? Fuzziness, double Boost)
    : LuceneNode(Field, Boost);

/// <summary>How a term is meant.</summary>
public enum LuceneTermKind
{
    /// <summary>The word itself.</summary>
    Word,

    /// <summary>
    /// A pattern with <c>*</c> for any characters and <c>?</c> for one; either, and the backslash, is itself behind a
    /// backslash.
    /// </summary>
    Wildcard,

    /// <summary>Words that are like it: <c>word~</c>.</summary>
    Fuzzy,

    /// <summary>A regular expression: <c>/…/</c>.</summary>
    Regex,
}

/// <summary>Words one after the other: <c>"new york"~2</c>.</summary>
/// <param name="Field">The field named before it; null if there is none.</param>
/// <param name="Text">The words.</param>
/// <param name="Slop">By how many places words may be moved.</param>
/// <param name="Boost">The factor for its score.</param>
public sealed record LucenePhrase(string? Field, string Text, int Slop, double Boost) : LuceneNode(Field, Boost);

/// <summary>Values between two: <c>[a TO b]</c>, and <c>{a TO b}</c> without its ends.</summary>
/// <param name="Field">The field named before it; null if there is none.</param>
/// <param name="Low">The lower end; null for none, <c>*</c>.</param>
/// <param name="High">The upper end; null for none, <c>*</c>.</param>
/// <param name="IncludesLow">Whether the lower end belongs to it.</param>
/// <param name="IncludesHigh">Whether the upper end belongs to it.</param>
/// <param name="Boost">The factor for its score.</param>
public sealed record LuceneRange(
    string? Field,
    string? Low,
    string? High,
    bool IncludesLow,
    bool IncludesHigh,
    double Boost
) : LuceneNode(Field, Boost);

/// <summary>Everything: <c>*:*</c>.</summary>
/// <param name="Boost">Its score.</param>
public sealed record LuceneAll(double Boost) : LuceneNode(null, Boost);
