using Pipeline.Indexing.Analysis.Unicode;

namespace Pipeline.Indexing.Analysis.Tokenizers;

/// <summary>
/// Tokens are the longest runs of characters of one kind, at most 255 UTF-16 code units a token (256 where a pair comes
/// last), as Lucene's CharTokenizer makes them.
/// </summary>
internal sealed class RunTokenizer : Tokenizer
{
    private readonly Func<int, bool> _belongs;
    private readonly bool[] _ascii = new bool[128];

    private RunTokenizer(Func<int, bool> belongs, bool lowerCase)
        : base(lowerCase)
    {
        _belongs = belongs;
        for (var c = 0; c < _ascii.Length; c++)
            _ascii[c] = belongs(c);
    }

    /// <summary>Runs of letters, lower-cased.</summary>
    public static RunTokenizer Letters() => new(UnicodeTables.IsLetter, lowerCase: true);

    /// <summary>Runs of characters that are not white space, unchanged.</summary>
    public static RunTokenizer NonWhitespace() => new(static c => !UnicodeTables.IsWhitespace(c), lowerCase: false);

    public override int Tokenize(ReadOnlySpan<byte> text, int offset, TokenBuffer buffer)
    {
        while (offset < text.Length)
        {
            if (!Belongs(text, offset, out var length, out _))
            {
                offset += length;
                continue;
            }

            if (buffer.IsFull)
                return offset;
            var start = offset;
            for (
                var units = 0;
                units < MaxTokenUnits && offset < text.Length && Belongs(text, offset, out length, out var size);
                units += size
            )
            {
                offset += length;
            }

            AddTerm(text, start, offset, buffer);
        }

        return -1;
    }

    private bool Belongs(ReadOnlySpan<byte> text, int offset, out int length, out int units)
    {
        var codePoint = Decode(text, offset, out length);
        units = Units(codePoint);
        return codePoint < _ascii.Length ? _ascii[codePoint] : _belongs(codePoint);
    }
}
