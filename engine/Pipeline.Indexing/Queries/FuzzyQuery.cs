using System.Text;

namespace Pipeline.Indexing;

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
