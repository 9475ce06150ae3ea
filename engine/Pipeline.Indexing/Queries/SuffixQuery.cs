using System.Text;

namespace Pipeline.Indexing;

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
