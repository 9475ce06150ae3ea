using Pipeline.Indexing.Analysis.Filters;
using Pipeline.Indexing.Analysis.Tokenizers;

namespace Pipeline.Indexing.Analysis;

/// <summary>
/// Makes the terms of a text: a tokenizer and the filters behind it. The same analyzer belongs to a field when it is indexed and when words are
/// looked for in it. Made by <see cref="Analyzers"/>. Immutable; safe for any number of threads, each with a <see cref="TokenBuffer"/> of its own.
/// </summary>
public sealed class Analyzer
{
    private readonly Tokenizer _tokenizer;
    private readonly TokenFilter[] _filters;

    internal Analyzer(string name, Tokenizer tokenizer, params TokenFilter[] filters)
        => (Name, _tokenizer, _filters) = (name, tokenizer, filters);

    /// <summary>The name by which <see cref="Analyzers.Get"/> makes an equal one.</summary>
    public string Name { get; }

    /// <summary>
    /// The tokens of a text. The text is UTF-8; each ill-formed sequence in it is taken for U+FFFD. It must not change, and the buffer must not be
    /// used for another text, until the enumeration is over.
    /// </summary>
    public TokenEnumerator Tokens(ReadOnlySpan<byte> text, TokenBuffer buffer) => new(this, text, buffer);

    /// <summary>
    /// A part of a word as this analyzer would write it in a term, for prefixes and patterns: lower-cased where the analyzer does that, and
    /// otherwise as it is. It lies in the buffer.
    /// </summary>
    public ReadOnlySpan<byte> Normalize(ReadOnlySpan<byte> part, TokenBuffer buffer)
    {
        buffer.Clear();
        buffer.SkippedPositions = 0;
        _tokenizer.AddTerm(part, 0, part.Length, buffer);
        return buffer.Term(buffer.Entries[0]);
    }

    /// <inheritdoc/>
    public override string ToString() => Name;

    /// <summary>Puts the tokens from an offset on in the buffer, and says where to go on; -1 when the text has been read. There may be none in the batch.</summary>
    internal int Analyze(ReadOnlySpan<byte> text, int offset, TokenBuffer buffer)
    {
        var next = _tokenizer.Tokenize(text, offset, buffer);
        if (buffer.Count > 0)
        {
            buffer.Entries[0].PositionIncrement += buffer.SkippedPositions;
            buffer.SkippedPositions = 0;
            foreach (var filter in _filters) filter.Apply(buffer);
        }

        return next;
    }
}
