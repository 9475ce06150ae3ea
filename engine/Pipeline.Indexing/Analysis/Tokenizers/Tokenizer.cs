using System.Text;
using Pipeline.Indexing.Analysis.Unicode;

namespace Pipeline.Indexing.Analysis.Tokenizers;

/// <summary>Cuts a text into tokens, lower-cased or unchanged. Stateless.</summary>
internal abstract class Tokenizer(bool lowerCase)
{
    /// <summary>
    /// The most UTF-16 code units of a token; longer ones are cut there and continue as the next token (Lucene's limit
    /// and behaviour).
    /// </summary>
    public const int MaxTokenUnits = 255;

    /// <summary>
    /// The most bytes that a byte of the text may become: a byte that is not UTF-8 becomes U+FFFD, three bytes.
    /// Well-formed characters grow at most from two bytes to three.
    /// </summary>
    private const int MaxGrowth = 3;

    private bool LowerCase { get; } = lowerCase;

    /// <summary>
    /// Adds tokens from an offset on until the buffer is full or the text ends. Returns the offset to continue from, or
    /// -1 when the whole text was read.
    /// </summary>
    public abstract int Tokenize(ReadOnlySpan<byte> text, int offset, TokenBuffer buffer);

    /// <summary>Adds the token of the bytes from start to end.</summary>
    public void AddTerm(ReadOnlySpan<byte> text, int start, int end, TokenBuffer buffer)
    {
        var source = text[start..end];
        var target = buffer.Reserve(source.Length);
        var written = source.Length;
        if (LowerCase)
            Ascii.ToLower(source, target, out written);
        else
            source.CopyTo(target);
        if (written < source.Length)
            written = WriteLowerCase(source, written, buffer);
        else if (!LowerCase && !System.Text.Unicode.Utf8.IsValid(source))
            written = WriteValid(source, buffer);
        buffer.Add(written, start, end);
    }

    /// <summary>A code point and how many bytes it has. Ill-formed sequences are U+FFFD.</summary>
    protected static int Decode(ReadOnlySpan<byte> text, int offset, out int length)
    {
        if (text[offset] < 0x80)
        {
            length = 1;
            return text[offset];
        }

        Rune.DecodeFromUtf8(text[offset..], out var rune, out length);
        return rune.Value;
    }

    /// <summary>How many UTF-16 code units a code point has.</summary>
    protected static int Units(int codePoint) => codePoint < 0x10000 ? 1 : 2;

    /// <summary>Goes on, from the first byte that is not ASCII, with the lower case of each code point.</summary>
    private static int WriteLowerCase(ReadOnlySpan<byte> source, int read, TokenBuffer buffer)
    {
        var written = read;
        var target = buffer.Reserve(source.Length * MaxGrowth);
        Ascii.ToLower(source[..read], target, out _);
        for (int length; read < source.Length; read += length)
        {
            written += new Rune(UnicodeTables.ToLower(Decode(source, read, out length))).EncodeToUtf8(
                target[written..]
            );
        }

        return written;
    }

    private static int WriteValid(ReadOnlySpan<byte> source, TokenBuffer buffer)
    {
        var written = 0;
        var target = buffer.Reserve(source.Length * MaxGrowth);
        for (int read = 0, length; read < source.Length; read += length)
            written += new Rune(Decode(source, read, out length)).EncodeToUtf8(target[written..]);
        return written;
    }
}
