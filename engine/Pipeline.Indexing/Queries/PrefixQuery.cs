using System.Text;

namespace Pipeline.Indexing;

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
