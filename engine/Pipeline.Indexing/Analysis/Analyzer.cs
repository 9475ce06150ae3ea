using Pipeline.Indexing.Analysis.Filters;
using Pipeline.Indexing.Analysis.Tokenizers;

namespace Pipeline.Indexing.Analysis;

/// <summary>
/// Makes the terms of a text: a tokenizer followed by filters. Indexing a field and searching it use the same analyzer.
/// Made by <see cref="Analyzers"/>. Immutable and thread-safe; each thread needs its own <see cref="TokenBuffer"/>.
/// </summary>
public sealed class Analyzer
{
    private readonly Tokenizer _tokenizer;
    private readonly TokenFilter[] _filters;

    internal Analyzer(string name, Tokenizer tokenizer, params TokenFilter[] filters) =>
        (Name, _tokenizer, _filters) = (name, tokenizer, filters);

    /// <summary>The name by which <see cref="Analyzers.Get"/> makes an equal one.</summary>
    public string Name { get; }

    /// <summary>
    /// The tokens of a text. The text is UTF-8; each ill-formed sequence in it is taken for U+FFFD. It must not change,
    /// and the buffer must not be used for another text, until the enumeration is over.
    /// </summary>
    public TokenEnumerator Tokens(ReadOnlySpan<byte> text, TokenBuffer buffer) => new(this, text, buffer);

    /// <summary>
    /// Writes a part of a word, such as a prefix or the literal part of a pattern, in the form of this analyzer's
    /// terms. It is lower-cased if the analyzer does that, otherwise unchanged. The result lies in the buffer.
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

    /// <summary>
    /// Puts the tokens from an offset on in the buffer, and returns the offset at which to continue; -1 when the text
    /// has been read. A batch may be empty.
    /// </summary>
    internal int Analyze(ReadOnlySpan<byte> text, int offset, TokenBuffer buffer)
    {
        var next = _tokenizer.Tokenize(text, offset, buffer);
        if (buffer.Count > 0)
        {
            buffer.Entries[0].PositionIncrement += buffer.SkippedPositions;
            buffer.SkippedPositions = 0;
            foreach (var filter in _filters)
                filter.Apply(buffer);
        }

        return next;
    }
}
