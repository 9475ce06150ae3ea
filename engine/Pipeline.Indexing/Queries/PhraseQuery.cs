using System.Text;

namespace Pipeline.Indexing;

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
