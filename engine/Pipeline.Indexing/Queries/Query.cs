using System.Text;

namespace Pipeline.Indexing;

/// <summary>
/// What is looked for in an index: a tree of immutable records over terms, numbers and points. Texts have been analysed
/// and values turned into terms before the tree is made. Any thread may use a tree, any number of times.
/// </summary>
public abstract record Query
{
    private protected Query() { }
}

/// <summary>Entries that hold a term in a field, scored by BM25.</summary>
/// <param name="Field">The field's name.</param>
/// <param name="Term">The term's bytes, as the index holds them.</param>
public sealed record TermQuery(string Field, ReadOnlyMemory<byte> Term) : Query
{
    /// <summary>A term given as text.</summary>
    /// <param name="field">The field's name.</param>
    /// <param name="term">The term; it is not analysed.</param>
    public TermQuery(string field, string term)
        : this(field, Encoding.UTF8.GetBytes(term)) { }
}

/// <summary>
/// Entries that hold at least one of many terms in a field, with the score 1. Any number of terms: they are put
/// together in a bitmap.
/// </summary>
/// <param name="Field">The field's name.</param>
/// <param name="Terms">The terms, in any order; repeats do no harm; none at all matches nothing.</param>
public sealed record InQuery(string Field, IReadOnlyList<ReadOnlyMemory<byte>> Terms) : Query;

/// <summary>Entries that hold each of many terms in a field, with the score 1.</summary>
/// <param name="Field">The field's name.</param>
/// <param name="Terms">The terms, in any order; repeats do no harm; none at all matches every entry.</param>
public sealed record AllInQuery(string Field, IReadOnlyList<ReadOnlyMemory<byte>> Terms) : Query;

/// <summary>Entries with a term that begins with some bytes, with the score 1 unless <see cref="Scored"/>.</summary>
/// <param name="Field">The field's name.</param>
/// <param name="Prefix">What the term begins with; empty for any term.</param>
public sealed record PrefixQuery(string Field, ReadOnlyMemory<byte> Prefix) : Query
{
    /// <summary>A prefix given as text.</summary>
    /// <param name="field">The field's name.</param>
    /// <param name="prefix">The prefix; it is not analysed.</param>
    public PrefixQuery(string field, string prefix)
        : this(field, Encoding.UTF8.GetBytes(prefix)) { }

    /// <summary>
    /// Whether each term that is found is scored by BM25; the number of terms is then limited by
    /// <c>SearchOptions.MaxScoredExpansions</c>.
    /// </summary>
    public bool Scored { get; init; }
}

/// <summary>Entries with a term that ends with some bytes, with the score 1. Every term of the field is read.</summary>
/// <param name="Field">The field's name.</param>
/// <param name="Suffix">What the term ends with; empty for any term.</param>
public sealed record SuffixQuery(string Field, ReadOnlyMemory<byte> Suffix) : Query
{
    /// <summary>A suffix given as text.</summary>
    /// <param name="field">The field's name.</param>
    /// <param name="suffix">The suffix; it is not analysed.</param>
    public SuffixQuery(string field, string suffix)
        : this(field, Encoding.UTF8.GetBytes(suffix)) { }
}

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

/// <summary>
/// Entries with a term in which a .NET regular expression finds a match, with the score 1. Anchor it with <c>^</c> and
/// <c>$</c> to match whole terms. It runs in time linear in the terms' length; lookarounds, back-references and atomic
/// groups are refused with <c>QueryException</c>.
/// </summary>
/// <param name="Field">The field's name.</param>
/// <param name="Pattern">The expression.</param>
public sealed record RegexQuery(string Field, string Pattern) : Query;

/// <summary>
/// Entries with a term within an edit distance of another: characters put in, left out, replaced, or two neighbours
/// swapped. The score is 1, or with
/// <see cref="Scored"/> BM25 weighted by how near the term is.
/// </summary>
/// <param name="Field">The field's name.</param>
/// <param name="Term">The term's bytes, valid UTF-8.</param>
/// <param name="MaxEdits">The greatest number of edits, 0 to 10.</param>
public sealed record FuzzyQuery(string Field, ReadOnlyMemory<byte> Term, int MaxEdits) : Query
{
    /// <summary>A term given as text.</summary>
    /// <param name="field">The field's name.</param>
    /// <param name="term">The term; it is not analysed.</param>
    /// <param name="maxEdits">The greatest number of edits.</param>
    public FuzzyQuery(string field, string term, int maxEdits)
        : this(field, Encoding.UTF8.GetBytes(term), maxEdits) { }

    /// <summary>How many characters at the beginning must be the same.</summary>
    public int PrefixLength { get; init; }

    /// <summary>
    /// Whether each term that is found is scored by BM25; the number of terms is then limited by
    /// <c>SearchOptions.MaxScoredExpansions</c>.
    /// </summary>
    public bool Scored { get; init; }

    /// <summary>
    /// The number of edits that a similarity between 0 and 1 allows: (1 - similarity) of the term's characters, rounded
    /// down, at most 10; values of 1 and more are numbers of edits, at most 2, as in Lucene's syntax.
    /// </summary>
    /// <param name="similarity">The similarity, or a number of edits.</param>
    /// <param name="characters">The term's length in characters.</param>
    /// <returns>The number of edits, 0 to 10.</returns>
    public static int EditsFor(double similarity, int characters) =>
        similarity >= 1
            ? (int)Math.Min(similarity, 2)
            : Math.Min((int)((1 - Math.Max(similarity, 0)) * characters), FuzzyMatcher.MaxEdits);
}

/// <summary>Entries with a term between two bounds in byte order, with the score 1.</summary>
/// <param name="Field">The field's name.</param>
/// <param name="Low">The lower bound; null for none.</param>
/// <param name="High">The upper bound; null for none.</param>
/// <param name="IncludeLow">Whether the lower bound itself is within.</param>
/// <param name="IncludeHigh">Whether the upper bound itself is within.</param>
public sealed record TermRangeQuery(
    string Field,
    ReadOnlyMemory<byte>? Low,
    ReadOnlyMemory<byte>? High,
    bool IncludeLow = true,
    bool IncludeHigh = true
) : Query;

/// <summary>
/// Entries with a number between two bounds, with the score 1. Longs and doubles compare exactly with each other.
/// </summary>
/// <param name="Field">The field's name.</param>
/// <param name="Low">The lower bound; <see cref="NumericKey.Min"/> for none.</param>
/// <param name="High">The upper bound; <see cref="NumericKey.Max"/> for none.</param>
/// <param name="IncludeLow">Whether the lower bound itself is within.</param>
/// <param name="IncludeHigh">Whether the upper bound itself is within.</param>
public sealed record NumberRangeQuery(
    string Field,
    NumericKey Low,
    NumericKey High,
    bool IncludeLow = true,
    bool IncludeHigh = true
) : Query
{
    /// <summary>Whole numbers from one to another, both included.</summary>
    /// <param name="field">The field's name.</param>
    /// <param name="low">The lower bound.</param>
    /// <param name="high">The upper bound.</param>
    public NumberRangeQuery(string field, long low, long high)
        : this(field, NumericKey.From(low), NumericKey.From(high)) { }
}

/// <summary>Entries in which the field has a null, with the score 1.</summary>
/// <param name="Field">The field's name.</param>
public sealed record NullQuery(string Field) : Query;

/// <summary>Entries that have the field at all, be it null or empty, with the score 1.</summary>
/// <param name="Field">The field's name.</param>
public sealed record ExistsQuery(string Field) : Query;

/// <summary>
/// Entries in which terms stand at given distances from each other, scored by BM25 on the number of places. With a
/// slop, they may be moved by so many positions in all (two terms in reverse order: 2), and a place counts 1 / (1 +
/// moves).
/// </summary>
/// <param name="Field">The field's name; it must keep positions.</param>
/// <param name="Terms">The terms and their places; one alone is a <see cref="TermQuery"/>.</param>
/// <param name="Slop">How many moves are allowed in all.</param>
public sealed record PhraseQuery(string Field, IReadOnlyList<PhraseTerm> Terms, int Slop = 0) : Query
{
    /// <summary>Words that follow each other.</summary>
    /// <param name="field">The field's name.</param>
    /// <param name="words">The words, unchanged, not analysed.</param>
    public PhraseQuery(string field, params string[] words)
        : this(field, [.. words.Select((word, i) => new PhraseTerm(Encoding.UTF8.GetBytes(word), i))]) { }
}

/// <summary>A term of a phrase.</summary>
/// <param name="Term">The term's bytes.</param>
/// <param name="Position">
/// Its place in the phrase, from 0 on; places may be left out (a stop word) or shared (synonyms: both must be there).
/// </param>
public readonly record struct PhraseTerm(ReadOnlyMemory<byte> Term, int Position);
