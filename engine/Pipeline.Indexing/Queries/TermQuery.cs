using System.Text;

namespace Pipeline.Indexing;

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
